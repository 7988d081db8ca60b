"""What an ingestion run will do, and what it did."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from core.types import Source, Usage, Value, Visibility
from ingestion.reembedding import ReembeddingPlan


class Action(StrEnum):
    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    VANISHED = "vanished"
    SKIPPED = "skipped"


SLOW_SECONDS = 60.0
"""A file that takes longer by itself is worth a warning before."""


class PlannedFile(Value):
    name: str
    action: Action
    reason: str = ""
    rebuilt: bool = Field(default=False, description="Whether only the way of building documents has changed.")
    bytes: int = 0
    pages: int = 0
    chars: int = Field(default=0, description="Characters of text.")
    model_calls: int = 0
    prompt_tokens: int = 0
    embeddings: int = Field(default=0, description="About how many chunks will be embedded.")
    seconds: float = Field(default=0.0, description="About how long embedding them will take.")
    visibility: Visibility | None = Field(default=None, description="Who may read it, by its name and the course file.")
    audience: str = Field(default="", description="For whom it is and why, in one line.")

    @property
    def is_slow(self) -> bool:
        return self.seconds > SLOW_SECONDS


class IngestionPlan(Value):
    """The files of a run, and an upper estimate of model calls."""

    course: str
    source: Source
    model: str
    files: tuple[PlannedFile, ...]
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = Field(default=0.0, description="None if the price of the model is unknown.")
    bytes: int = Field(default=0, description="Of the files that will be ingested.")
    embeddings: int = Field(default=0, description="About how many chunks will be embedded.")
    seconds: float = Field(default=0.0, description="About how long embedding will take.")
    reembedding: ReembeddingPlan | None = Field(
        default=None, description="What is done before, where the course has another embedding than the configured one."
    )

    def files_with(self, *actions: Action) -> list[PlannedFile]:
        return [file for file in self.files if file.action in actions]


class FileOutcome(StrEnum):
    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    EMPTY = "empty"
    FAILED = "failed"
    VANISHED = "vanished"
    REMOVED = "removed"
    SKIPPED = "skipped"


class IngestedFile(Value):
    name: str
    outcome: FileOutcome
    reason: str = ""
    pages: int = 0
    blocks: int = 0
    solutions: int = Field(default=0, description="Questions that carry a solution.")
    embeddings: int = 0
    labels: tuple[str, ...] = Field(default=(), description="Labels of the questions found.")
    chars: int = Field(default=0, description="Characters of text.")
    staff_chars: int = Field(default=0, description="Characters that only staff see.")
    staff_reason: str = Field(default="", description="Why they are kept for staff.")
    visibility: Visibility | None = Field(default=None, description="Who may read the document.")
    audience: str = Field(default="", description="For whom it is and why, in one line.")
    variant_of: str = Field(default="", description="Document that holds the same work and is searched instead.")
    release_at: str = Field(default="", description="Time before which no question finds the document.")
    paired_with: tuple[str, ...] = Field(default=(), description="Assignments that a solution document belongs to.")
    joined: int = Field(default=0, description="Questions of a solution document that are in its assignment.")
    unpaired: tuple[str, ...] = Field(default=(), description="Labels of those that are not.")
    usage: Usage = Usage()
    warnings: tuple[str, ...] = ()


class IngestionReport(Value):
    """After a run."""

    course: str
    source: Source
    model: str
    seconds: float
    files: tuple[IngestedFile, ...]
    usage: Usage
    reembedding: ReembeddingPlan | None = Field(default=None, description="What was embedded again, if anything.")

    def files_with(self, *outcomes: FileOutcome) -> list[IngestedFile]:
        return [file for file in self.files if file.outcome in outcomes]

    @property
    def ok(self) -> bool:
        return not self.files_with(FileOutcome.FAILED)
