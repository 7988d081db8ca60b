"""QTI 1.2 in a ZIP file, for Canvas and others, by text2qti."""

from __future__ import annotations

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from app.quizzes.formats.rich import html_of, in_entities
from core.errors import InvalidInput


def qti(quiz: ExportedQuiz) -> bytes:
    """The quiz as a ZIP file. Raises `InvalidInput` for equal questions, or none."""
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
    for question in quiz.questions:
        first = numbers.setdefault(html_of(question.question), question.number)
        if first != question.number:
            raise InvalidInput(
                f"Questions {first} and {question.number} have the same words, which QTI does not allow. Edit or drop "
                "one of them."
            )


# text2qti gives many characters a meaning, so texts are passed as HTML in entities.
def _question(item: ExportedQuestion) -> str:
    question, answer = (in_entities(html_of(text)) for text in (item.question, item.answer))
    return f"Title: {_line(f'{item.number} {item.section}')}\n{item.number}. {question}\n... {answer}\n____\n"


def _line(text: str) -> str:
    return " ".join(text.split())
