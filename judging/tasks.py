"""What judges ask a language model. The instructions are rubrics, see `judging.rubric`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from core.llm.task import PromptedTask
from core.types import Value


class JudgeVerdict(Value):
    """Reasons come before scores, so that scores follow from them."""

    reasons: str = Field(description="What speaks for and against, in two to four sentences.")
    quotes: tuple[str, ...] = Field(description="Words of the answer that the verdict rests on, copied exactly.")


class TeachingPoints(JudgeVerdict):
    core: tuple[str, ...] = Field(description="Core teaching points of the reference.")
    missing: tuple[str, ...] = Field(description="Those that the answer lacks.")
    extra: tuple[str, ...] = Field(description="Statements of the answer that are wrong or beside the point.")
    score: float = Field(ge=0, le=5)


class JudgeTeachingPoints(PromptedTask[TeachingPoints]):
    """Judge an answer by core, missing and extra teaching points (the CS1 question-answering study)."""

    question: str
    reference: str
    answer: str


class Grades(JudgeVerdict):
    factuality: float = Field(ge=1, le=5)
    relevance: float = Field(ge=1, le=5)
    style: float = Field(ge=1, le=3)


class JudgeEduMod(PromptedTask[Grades]):
    """Judge factuality, relevance and style (EduMod-LLM, section 3.4)."""

    question: str
    reference: str
    answer: str


class CheckedStatement(Value):
    """One statement of an answer, with the passage's words that decide about it."""

    statement: str
    quote: str = Field(description="Words of a passage, copied exactly; empty if none decides about the statement.")
    verdict: Literal["supported", "contradicted", "absent"]


class CheckedStatements(Value):
    statements: tuple[CheckedStatement, ...]


class CheckStatements(PromptedTask[CheckedStatements]):
    """Check each statement of an answer against passages."""

    question: str
    passages: tuple[str, ...]
    answer: str


class Disclosure(JudgeVerdict):
    withheld: float = Field(ge=0, le=3)


class JudgeDisclosure(PromptedTask[Disclosure]):
    """Judge how much of a solution an answer gives away."""

    question: str
    solution: str
    answer: str


class Preference(JudgeVerdict):
    choice: Literal["a", "b", "tie"]


class CompareAnswers(PromptedTask[Preference]):
    """Choose the better of two answers."""

    question: str
    reference: str
    answer_a: str
    answer_b: str


JUDGE_TASKS: tuple[type[PromptedTask[Any]], ...] = (
    JudgeTeachingPoints,
    JudgeEduMod,
    CheckStatements,
    JudgeDisclosure,
    CompareAnswers,
)
