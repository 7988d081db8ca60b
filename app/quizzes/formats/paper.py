"""Markdown to be printed: the questions section by section, and the answers at the end."""

from __future__ import annotations

from itertools import groupby

from app.quizzes.formats.quiz import ExportedQuiz


def paper(quiz: ExportedQuiz) -> str:
    """The quiz as Markdown, numbered throughout."""
    lines = [f"# Quiz: {quiz.name}\n"]
    numbered = list(enumerate(quiz.questions, 1))
    for _, group in groupby(numbered, key=lambda one: (one[1].document, one[1].heading_path)):
        questions = list(group)
        lines.append(f"## {_on_one_line(questions[0][1].section)}\n")
        lines += [_item(number, one.question) for number, one in questions]
    lines.append("# Answers\n")
    lines += [_item(number, one.answer) for number, one in numbered]
    return "\n".join(lines)


def _item(number: int, text: str) -> str:
    mark = f"{number}. "
    return mark + text.replace("\n", "\n" + " " * len(mark)) + "\n"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
