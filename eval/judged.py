"""The report on items that a judge scored: the mean of every score, with cost and time."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from eval.report import Figures, Report, common, plain_figures
from eval.scoring import ScoredRun


class JudgedReport(Report[Figures]):
    """What judges gave, with intervals over the items."""

    actors: dict[str, Figures] = Field(alias="judges")


def judged_report(outcome: ScoredRun[Any]) -> JudgedReport:
    """The mean of every score of each judge."""
    return JudgedReport(**common(outcome), actors=plain_figures(outcome), comparisons=())
