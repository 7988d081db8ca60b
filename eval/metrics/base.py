"""The interface of metrics, and their scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Generic, Self

from pydantic import ValidationError

from core.dataset import I
from core.errors import InvalidInput
from core.score import Score
from core.validation import messages_in


class Direction(StrEnum):
    """Which values are better."""

    HIGHER = "higher"
    LOWER = "lower"


class MetricUnit(StrEnum):
    """The unit of a metric. A share is from 0 to 1, points are on the scale of a rubric."""

    SHARE = "share"
    COUNT = "count"
    POINTS = "points"
    MILLISECONDS = "ms"


@dataclass(frozen=True, slots=True)
class Output:
    """An actor's output for an item, serialisable as JSON. `ms` is None for actors without a running time."""

    content: Any
    ms: float | None


class Metric(ABC, Generic[I]):
    """A frozen pydantic dataclass; its field, if any, is its parameter, written after an @ as in `recall@5`.

    `version` changes when the same output would get a different score. `evaluation` is the kind of evaluation whose
    outputs it reads; None means any.
    """

    stem: ClassVar[str]
    summary: ClassVar[str]
    version: ClassVar[str]
    unit: ClassVar[MetricUnit]
    direction: ClassVar[Direction]
    evaluation: ClassVar[str | None]

    @property
    def name(self) -> str:
        """Its spelling in code, YAML, tables, JSON, file names and options, such as `recall@5`."""
        return "@".join([self.stem, *(str(getattr(self, one)) for one in self.parameters())])

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """Names of its parameters; none or one."""
        return tuple(field.name for field in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def spelling(cls) -> str:
        """How to write it, such as `recall@K`."""
        return "@".join([cls.stem, *(name.upper() for name in cls.parameters())])

    @classmethod
    def with_parameter(cls, value: str) -> Self:
        """The metric with its parameter read from text. Raises `InvalidInput` naming what is allowed."""
        (name,) = cls.parameters()
        try:
            return cls(**{name: value})
        except ValidationError as error:
            raise InvalidInput(
                f"The metric {cls.stem}@{value} cannot be used: {name.upper()}: {messages_in(error)}."
            ) from error

    @abstractmethod
    def score(self, item: I, output: Output) -> Score:
        """The score of one output for one item."""

    def score_all(self, outputs: Sequence[tuple[I, Output]]) -> list[Score]:
        """A score for each output. Overridden if a library is much faster on many at once."""
        return [self.score(item, output) for item, output in outputs]
