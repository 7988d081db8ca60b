"""Answers that judges score, and the scale of the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pydantic import Field

from core.dataset import Dataset
from core.types import Value


class Scale(Value):
    """The lowest and the highest score."""

    min: float = Field(allow_inf_nan=False)
    max: float = Field(allow_inf_nan=False)

    @property
    def range(self) -> float:
        return self.max - self.min

    def share(self, score: float) -> float:
        """The score's position on the scale, from 0 to 1."""
        return (score - self.min) / self.range

    def at(self, share: float) -> float:
        """The score at that share of the range."""
        return self.min + share * self.range


class JudgedAnswer(Value):
    """An answer to be judged; `scores` are those of human raters, in the order of their columns.

    `resolved` is the score that the raters settled on, None if they did not.
    """

    id: str
    question: str
    reference: str = ""
    answer: str
    scores: tuple[float, ...] = ()
    resolved: float | None = None
    passages: tuple[str, ...] = ()
    solution: str = ""
    rival: str = ""
    author: str = ""

    @property
    def text(self) -> str:
        return self.question

    @property
    def contents(self) -> tuple[Any, ...]:
        return tuple(self.model_dump(mode="json").values())

    @property
    def human(self) -> float:
        """The score that the raters settled on, or else the mean of theirs."""
        return fmean(self.scores) if self.resolved is None else self.resolved


@dataclass(frozen=True)
class JudgedAnswers:
    """Scored answers with their scale. `raters` are the columns of the scores; `path` is the folder."""

    dataset: Dataset[JudgedAnswer]
    scale: Scale
    raters: tuple[str, ...]


def by_question(items: Mapping[str, JudgedAnswer] | tuple[JudgedAnswer, ...]) -> dict[str, list[JudgedAnswer]]:
    """The answers to each question, in order."""
    found: dict[str, list[JudgedAnswer]] = {}
    for item in items.values() if isinstance(items, Mapping) else items:
        found.setdefault(item.question, []).append(item)
    return found
