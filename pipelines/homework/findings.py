"""What the checks report of a submission."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.homework.criteria import Verdict


@dataclass(frozen=True)
class Finding:
    """Something amiss by one criterion, at a line (from 1) or in the whole. `evidence` quotes no official solution."""

    criterion: str
    line: int | None
    evidence: str
    hint: str


@dataclass(frozen=True)
class Check:
    """A criterion's verdict with its findings; `evidence` says what was looked at where nothing was found."""

    verdict: Verdict
    findings: tuple[Finding, ...] = field(default=())
    evidence: str = ""
