"""A question about code as another system stores it."""

from __future__ import annotations

from core.code import CodeTest, LintMessage
from core.types import Value


class ImportedQuestion(Value):
    """What a student asked about a submission, and what staff answered."""

    location: str
    """File and entry, for messages."""
    exercise: str
    """Text of the exercise."""
    question: str
    code: str
    answer: str = ""
    line: int | None = None
    """From 1; None if the question is about the whole submission."""
    language: str | None = None
    """Of the student, as a BCP 47 tag."""
    programming_language: str | None = None
    tests: tuple[CodeTest, ...] = ()
    linting: tuple[LintMessage, ...] = ()
