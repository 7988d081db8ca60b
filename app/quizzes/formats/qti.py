"""QTI 1.2 in a ZIP file, which Canvas and others import, by text2qti: essay questions with feedback.

text2qti reads a language of its own, in which a line may start anything and Markdown names files to include. So texts
are given to it as HTML in which every character that could mean something is an entity.
"""

from __future__ import annotations

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from app.quizzes.formats.rich import html_of, in_entities
from core.errors import InvalidInput


def qti(quiz: ExportedQuiz) -> bytes:
    """The quiz as a ZIP file. Raises `InvalidInput` if two questions have the same words, or there is none."""
    # Imported here, since it takes a while and only this export needs it.
    from text2qti.config import Config
    from text2qti.qti import QTI
    from text2qti.quiz import Quiz

    if not quiz.questions:
        raise InvalidInput("The quiz has no question to export.")
    _demand_different(quiz)
    text = "\n".join([f"Quiz title: {_line(quiz.name)}\n", *map(_question, quiz.questions)])
    content: bytes = QTI(Quiz(text, config=Config())).zip_bytes()
    return content


def _demand_different(quiz: ExportedQuiz) -> None:
    numbers: dict[str, int] = {}
    for one in quiz.questions:
        first = numbers.setdefault(html_of(one.question), one.number)
        if first != one.number:
            raise InvalidInput(
                f"Questions {first} and {one.number} have the same words, which QTI does not take. Edit or drop one."
            )


def _question(one: ExportedQuestion) -> str:
    question, answer = (in_entities(html_of(text)) for text in (one.question, one.answer))
    return f"Title: {_line(f'{one.number} {one.section}')}\n{one.number}. {question}\n... {answer}\n____\n"


def _line(text: str) -> str:
    return " ".join(text.split())
