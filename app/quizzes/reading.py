"""A quiz with the passages that its questions are about, as the material is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.quizzes.formats.quiz import ExportedQuestion, ExportedQuiz
from core.course import Course
from core.errors import InvalidInput
from core.store.store import Store
from core.store.tables import QuestionState, QuizQuestionRow, QuizRow, now
from core.types import Passage
from eval.sensemaking.course import CourseSection, SectionKey, public_sections


class Place(StrEnum):
    """Where a question's sentence is now."""

    FOUND = "found"
    CHANGED = "changed"
    """The section is there, its sentence is not."""
    GONE = "gone"
    """Students cannot read the section: it was removed or renamed, is not released, or is for staff."""


@dataclass(frozen=True)
class ReadQuestion:
    """A question with its section; None where that is gone."""

    row: QuizQuestionRow
    section: CourseSection | None

    @property
    def passage(self) -> Passage | None:
        """The passage that answers it, else the first one of its section."""
        if self.section is None:
            return None
        return self.section.passage_with(self.row.quote) or self.section.passages[0]

    @property
    def place(self) -> Place:
        if self.section is None:
            return Place.GONE
        return Place.CHANGED if self.section.passage_with(self.row.quote) is None else Place.FOUND

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
    def gone(self) -> list[ReadQuestion]:
        """Questions that were not dropped, and are left out of exports since students cannot read their sections."""
        return [one for one in self.questions if one.section is None and one.row.state != QuestionState.DROPPED]

    @property
    def exported(self) -> ExportedQuiz:
        """What files hold."""
        return ExportedQuiz(
            course=self.course.id,
            title=self.course.title or self.course.id,
            source=self.quiz.source,
            document=self.quiz.document,
            questions=tuple(_exported(one.row) for one in self.questions if one.is_exported),
        )

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
    course = Course.model_validate((await store.courses.get(quiz.course_id)).config)
    rows = await store.quizzes.questions(quiz)
    sections = await sections_now(store, quiz)
    order = {key: index for index, key in enumerate(sections)}
    questions = [ReadQuestion(row, sections.get(_key(row))) for row in rows]
    questions.sort(key=lambda one: (order.get(_key(one.row), len(order)), one.row.number))
    return ReadQuiz(course, quiz, questions)


async def sections_now(store: Store, quiz: QuizRow) -> dict[SectionKey, CourseSection]:
    """The sections of the quiz's source that students may read now."""
    blocks = await store.material.blocks(quiz.course_id, quiz.source, now())
    return {one.key: one for one in public_sections(blocks)}


def _key(row: QuizQuestionRow) -> SectionKey:
    return row.document, tuple(row.heading_path)


def _exported(row: QuizQuestionRow) -> ExportedQuestion:
    return ExportedQuestion(
        number=row.number,
        question=row.question,
        answer=row.answer,
        kind=row.kind,
        document=row.document,
        heading_path=tuple(row.heading_path),
        block=row.block_id,
        quote=row.quote,
        state=str(row.state),
        made_by=row.made_by,
    )
