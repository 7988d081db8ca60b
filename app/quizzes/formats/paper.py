"""Markdown to be printed: the questions section by section, and the answers at the end."""

from __future__ import annotations

from itertools import groupby

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz


def paper(quiz: ExportedQuiz) -> str:
    """The quiz as a Markdown file."""
    lines = [f"# Quiz: {quiz.name}\n"]
    for _, group in groupby(quiz.questions, key=lambda one: (one.document, one.heading_path)):
        questions = list(group)
        lines.append(f"## {questions[0].section}\n")
        lines += [_numbered(one, one.question) for one in questions]
    lines.append("# Answers\n")
    lines += [_numbered(one, one.answer) for one in quiz.questions]
    return "\n".join(lines)


def _numbered(one: ExportedQuestion, text: str) -> str:
    mark = f"{one.number}. "
    return mark + text.replace("\n", "\n" + " " * len(mark)) + "\n"
