"""What the page of a quiz shows: some of its questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.quizzes.quiz_questions import Place, ReadQuestion, ReadQuiz
from core.store.tables import QuestionState

PAGE_QUESTIONS = 20
ALL = "all"
CHANGED = Place.CHANGED.value
GONE = Place.GONE.value
VIEWS = (ALL, *(one.value for one in QuestionState), CHANGED, GONE)


@dataclass(frozen=True)
class QuizPage:
    """One page of the questions of a view."""

    read: ReadQuiz
    view: str
    number: int
    """From 1."""
    pages: int
    questions: Sequence[ReadQuestion]

    @property
    def counts(self) -> dict[str, int]:
        """How many questions each view has; those that are changed or gone only if there are any."""
        states = {state.value: count for state, count in self.read.states.items()}
        places = {CHANGED: len(self.read.questions_changed), GONE: len(self.read.questions_gone)}
        return {ALL: len(self.read.questions), **states, **{name: count for name, count in places.items() if count}}


def quiz_page(read: ReadQuiz, view: str, number: int, asked: int = 0) -> QuizPage:
    """The page of that number, or the one with the question `asked`."""
    view = view if view in VIEWS else ALL
    shown = _of_view(read, view)
    if asked and (index := _index(shown, asked)) is None:
        view, shown = ALL, list(read.questions)
        index = _index(shown, asked)
    if asked and index is not None:
        number = index // PAGE_QUESTIONS + 1
    pages = max(1, -(-len(shown) // PAGE_QUESTIONS))
    number = min(max(number, 1), pages)
    start = (number - 1) * PAGE_QUESTIONS
    return QuizPage(read, view, number, pages, shown[start : start + PAGE_QUESTIONS])


def _index(questions: Sequence[ReadQuestion], number: int) -> int | None:
    return next((index for index, one in enumerate(questions) if one.row.number == number), None)


def _of_view(read: ReadQuiz, view: str) -> list[ReadQuestion]:
    if view == CHANGED:
        return read.questions_changed
    if view == GONE:
        return read.questions_gone
    return [one for one in read.questions if view in (ALL, str(one.row.state))]
