"""Quizzes of courses, and what staff made of their questions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner
from core.types import Source


class QuizRow(SQLModel, table=True):
    """The quiz about a course's documents of one source, or about one of these. There is one of each."""

    __tablename__ = "quiz"
    __table_args__ = (Index("ix_quiz_material", "course_id", "source", "document", unique=True),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    source: Source = Field(sa_type=Text)
    document: str = Field(default="", description="Name of the document; empty for all of the source.")
    created_by: str = Field(description="Id of the person.")
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class QuestionState(StrEnum):
    """What staff decided about a question: `open` until somebody has looked at it."""

    OPEN = "open"
    KEPT = "kept"
    EDITED = "edited"
    DROPPED = "dropped"


class QuizQuestionRow(SQLModel, table=True):
    """A question of a quiz with its reference answer, as they were made and as staff want them.

    The section is named by its document and headings, as in labels, so that it is found again after the document was
    ingested anew. `quote` is the sentence of the section that answers the question.
    """

    __tablename__ = "quiz_question"

    quiz_id: str = Field(sa_column=owner("quiz.id", is_key=True))
    number: int = Field(primary_key=True, description="From 1, in the order in which they were made.")
    course_id: str = Field(sa_column=owner("course.id"))
    document: str
    heading_path: list[str] = Field(default_factory=list, sa_type=JSON)
    block_id: str = Field(description="The block with the quote, when the question was made.")
    quote: str
    kind: str
    made_by: str = Field(description="`rules`, or the alias of a model.")
    made_question: str
    made_answer: str
    question: str
    answer: str
    state: QuestionState = Field(default=QuestionState.OPEN, sa_type=Text)
    version: int = Field(default=1, description="Grows with each change.")
    reviewed_by: str | None = Field(default=None, description="Id of the person.")
    reviewed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
