"""A quiz with its questions and their passages in the current material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from app.quizzes.sections import absences, readable_sections
from core.course import Course
from core.errors import InvalidInput
from core.store.store import Store
from core.store.tables import QuestionState, QuizQuestionRow, QuizRow
from core.types import Passage
from teaching.course import CourseSection


class Place(StrEnum):
    """Where a question's sentence is now."""

    FOUND = "found"
    CHANGED = "changed"
    """The section is there, its sentence is not."""
    GONE = "gone"
    """Students cannot read the section, and the sentence is in no other that they can read."""


@dataclass(frozen=True)
class ReadQuestion:
    """A question with its section; None where that is gone, with the reason in `absence`."""

    row: QuizQuestionRow
    section: CourseSection | None
    absence: str = ""

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Of its section now; where that is gone, of the one that it was made about."""
        return tuple(self.row.heading_path) if self.section is None else self.section.heading_path

    @cached_property
    def _with_quote(self) -> Passage | None:
        return None if self.section is None else self.section.passage_with(self.row.quote)

    @property
    def passage(self) -> Passage | None:
        """The passage that answers it, else the first one of its section."""
        return self._with_quote or (None if self.section is None else self.section.passages[0])

    @property
    def place(self) -> Place:
        if self.section is None:
            return Place.GONE
        return Place.CHANGED if self._with_quote is None else Place.FOUND

    @property
    def is_exported(self) -> bool:
        return self.row.state != QuestionState.DROPPED and self.section is not None


@dataclass(frozen=True)
class ReadQuiz:
    """A quiz with all of its questions."""

    course: Course
    quiz: QuizRow
    questions: Sequence[ReadQuestion]

    @property
    def name(self) -> str:
        """The material that it is about."""
        return self.quiz.document or str(self.quiz.source)

    @property
    def states(self) -> Mapping[QuestionState, int]:
        """How many questions are in each state."""
        counts = Counter(QuestionState(one.row.state) for one in self.questions)
        return {state: counts[state] for state in QuestionState}

    @property
    def questions_gone(self) -> list[ReadQuestion]:
        """Questions that were not dropped, and are left out of exports since students cannot read their sections."""
        return self._not_dropped(Place.GONE)

    @property
    def questions_changed(self) -> list[ReadQuestion]:
        """Questions that were not dropped, and whose sentences are not in their sections any more."""
        return self._not_dropped(Place.CHANGED)

    @property
    def export(self) -> ExportedQuiz:
        """What files hold."""
        return ExportedQuiz(
            course=self.course.id,
            title=self.course.title or self.course.id,
            source=self.quiz.source,
            document=self.quiz.document,
            questions=tuple(_export_question(one) for one in self.questions if one.is_exported),
        )

    def _not_dropped(self, place: Place) -> list[ReadQuestion]:
        return [one for one in self.questions if one.row.state != QuestionState.DROPPED and one.place is place]

    def demand_reviewed(self) -> None:
        """Raises `InvalidInput` while nobody has decided about some questions."""
        open_ = self.states[QuestionState.OPEN]
        if open_ or not self.questions:
            state = f"{open_} of its {len(self.questions)} questions are open" if self.questions else "it is empty"
            raise InvalidInput(
                f"The quiz of {self.course.id} about {self.name} is not reviewed: {state}. Keep, edit or drop each at "
                f"/courses/{self.course.id}/quizzes/{self.quiz.id} of `edumod serve`."
            )


async def read_quiz(store: Store, quiz: QuizRow) -> ReadQuiz:
    """The quiz, its questions in the order of the material; those whose section is gone come last."""
    course = await store.courses.read(quiz.course_id)
    rows = await store.quizzes.questions(quiz)
    sections = await readable_sections(store, quiz)
    placed = {row.number: sections.section_of(row) for row in rows}
    absent = await absences(store, quiz, [row for row in rows if placed[row.number] is None])
    questions = [ReadQuestion(row, placed[row.number], absent.get(row.number, "")) for row in rows]
    questions.sort(key=lambda one: (sections.position(one.section), one.row.number))
    return ReadQuiz(course, quiz, questions)


def _export_question(question: ReadQuestion) -> ExportedQuestion:
    row = question.row
    return ExportedQuestion(
        number=row.number,
        question=row.question,
        answer=row.answer,
        kind=row.kind,
        document=row.document,
        heading_path=question.heading_path,
        block=question.passage.block_id if question.passage else row.block_id,
        quote=row.quote,
        state=str(row.state),
        made_by=row.made_by,
    )
