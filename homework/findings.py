"""What the checks report of a submission."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.homework import Verdict


@dataclass(frozen=True)
class HomeworkFinding:
    """Something amiss by one criterion, at a line (from 1) or in the whole. `evidence` quotes no official solution."""

    criterion: str
    line: int | None
    evidence: str
    hint: str


@dataclass(frozen=True)
class Check:
    """A criterion's verdict with its findings; `evidence` says what was looked at where nothing was found.

    `confidence` is the chance that a person says the same; None for a verdict that says nothing.
    """

    verdict: Verdict
    findings: tuple[HomeworkFinding, ...] = field(default=())
    evidence: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class HomeworkChecks:
    """The check of each criterion, the official final answers that were compared, and facts about the submission."""

    checks: dict[str, Check]
    final: tuple[str, ...] = ()
    facts: dict[str, float] = field(default_factory=dict)

    def __getitem__(self, criterion: str) -> Check:
        return self.checks[criterion]
