"""Quizzes as the API shows and takes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, Field

from app.quizzes.making import MAX_PER_SECTION, PER_SECTION
from app.quizzes.quiz_questions import Place, ReadQuestion, ReadQuiz
from app.schemas import Body, Text
from core.store.tables import QuestionState, QuizRow
from core.types import Source


class QuizIn(Body):
    """The material of a quiz."""

    source: Source = Field(default=Source.TEXTBOOK, description="Any but `qa`, which holds words of students.")
    document: Text = Field(default="", max_length=500, description="Only the document of this name.")
    per_section: int = Field(
        default=PER_SECTION, ge=1, le=MAX_PER_SECTION, description="Questions of a section, at most."
    )


class QuizVerdict(StrEnum):
    KEPT = "kept"
    DROPPED = "dropped"


class ReviewIn(Body):
    """What is decided about a question. Other words than those that were made make it an edited one."""

    state: QuizVerdict
    question: Text | None = Field(default=None, description="Its words from now on; null to leave them.")
    answer: Text | None = None
    version: int | None = Field(default=None, description="Of the question that was read; another is refused with 412.")


class MakingOut(BaseModel):
    """How far making the quiz is."""

    done: int
    sections: int


class QuizOut(BaseModel):
    """A quiz without its questions."""

    id: str
    source: Source
    document: str
    created_at: datetime
    states: dict[QuestionState, int] = Field(description="How many of its questions are in each state.")
    making: MakingOut | None = Field(default=None, description="Null unless this process is making it now.")

    @classmethod
    def of(cls, row: QuizRow, states: Mapping[QuestionState, int], making: tuple[int, int] | None) -> QuizOut:
        return cls(
            id=row.id,
            source=row.source,
            document=row.document,
            created_at=row.created_at,
            states={state: states.get(state, 0) for state in QuestionState},
            making=MakingOut(done=making[0], sections=making[1]) if making else None,
        )


class QuizQuestionOut(BaseModel):
    """A question with its reference answer and where that stands."""

    number: int
    question: str
    answer: str
    kind: str
    state: QuestionState
    version: int
    made_by: str = Field(description="`rules`, or the alias of a model.")
    made_question: str
    made_answer: str
    document: str
    heading_path: list[str] = Field(description="Headings of its section, as they are now.")
    quote: str = Field(description="The sentence that answers it, as it was when the question was made.")
    place: Place = Field(description="Whether the sentence is still there; what is `gone` is left out of files.")
    absence: str = Field(description="Why students cannot read a section that is gone; otherwise empty.")
    block_id: str | None = Field(description="The passage with the sentence; null if its section is gone.")
    reviewed_by: str | None
    reviewed_at: datetime | None

    @classmethod
    def of(cls, read: ReadQuestion) -> QuizQuestionOut:
        values = read.row.model_dump(exclude={"quiz_id", "course_id", "block_id", "heading_path"}, warnings=False)
        return cls(
            **values,
            heading_path=list(read.heading_path),
            place=read.place,
            absence=read.absence,
            block_id=read.passage.block_id if read.passage else None,
        )


class QuizQuestionsOut(QuizOut):
    """A quiz with its questions, in the order of the material."""

    questions: list[QuizQuestionOut]

    @classmethod
    def read(cls, read: ReadQuiz, making: tuple[int, int] | None) -> QuizQuestionsOut:
        quiz = QuizOut.of(read.quiz, read.states, making)
        return cls(**quiz.model_dump(), questions=[QuizQuestionOut.of(one) for one in read.questions])


class KeptOut(BaseModel):
    kept: int = Field(description="How many questions were open.")
