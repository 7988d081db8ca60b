"""What a question about code brings with it, and what was found in the code (CS1 question study, section 3)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CodeTest(_Value):
    """The result of one test of the student's code."""

    name: str = Field(description="What it tests, often the call.")
    accepted: bool
    expected: str | None = None
    got: str | None = Field(default=None, description="What the code returned or printed.")
    message: str | None = Field(default=None, description="An error with its traceback, or a remark of the test.")


class LintMessage(_Value):
    """What a linter says of one line."""

    line: int = Field(ge=1, description="Line of the code, from 1.")
    code: str = Field(default="", description="The linter's code, such as F821.")
    message: str


class IssueKind(StrEnum):
    """The kind of mistake in a student's code."""

    SYNTAX = "syntax"
    NAME = "name"
    TYPE = "type"
    OFF_BY_ONE = "off_by_one"
    LOGIC = "logic"
    OTHER = "other"


class CodeIssue(_Value):
    """What is most likely wrong with the code, found without running it."""

    line: int = Field(ge=1, description="Line of the code that it is about, from 1.")
    kind: IssueKind
    summary: str = Field(description="What is wrong there, for staff and students.")
    confidence: float = Field(ge=0, le=1, description="The chance that line and kind are right, from 0 to 1.")
    waits: bool = Field(default=False, description="Too unsure to be told without a person; for staff alone.")
