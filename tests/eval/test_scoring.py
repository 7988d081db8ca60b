"""Scores of rows: what failed has none, and a metric that fails costs its own scores only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest
from pydantic.dataclasses import dataclass

from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output
from eval.plan import Plan
from tests.eval.actors.scripted import Number, Scripted, numbers, outcome


@dataclass(frozen=True)
class Inverse(Metric[Number]):
    """Fails on zero."""

    stem: ClassVar[str] = "inverse"
    summary: ClassVar[str] = "One over the output."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.COUNT
    direction: ClassVar[Direction] = Direction.LOWER
    evaluation: ClassVar[str | None] = None

    def score(self, item: Number, output: Output) -> Score:
        return Score(value=1 / output.content)


def plan() -> Plan[Any]:
    return Plan("test", numbers(3), (Scripted("a"),), (Inverse(),))


def test_a_failed_row_is_unscored_with_the_reason_it_failed_for() -> None:
    found = outcome(plan(), ("a", "0", 2), ("a", "1", None))
    assert found.scores("inverse", "a") == {"0": 0.5}
    assert found.rows[1].scores["inverse"]["unscored"] == "no"


def test_a_fault_of_a_metric_costs_the_score_of_its_item_only() -> None:
    found = outcome(plan(), ("a", "0", 2), ("a", "1", 0), ("a", "2", 4))
    assert found.scores("inverse", "a") == {"0": 0.5, "2": 0.25}
    assert "ZeroDivisionError" in found.rows[1].scores["inverse"]["unscored"]


def test_scores_come_in_the_order_of_the_data_set() -> None:
    found = outcome(plan(), ("a", "2", 4), ("a", "0", 2))
    assert list(found.scores("inverse", "a")) == ["0", "2"]


class AtOnce(Inverse):
    """Cannot score all outputs at once."""

    def score_all(self, outputs: Sequence[tuple[Number, Output]]) -> list[Score]:
        raise RuntimeError("The library broke.")


def test_a_metric_that_fails_on_all_outputs_at_once_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    found = outcome(Plan("test", numbers(3), (Scripted("a"),), (AtOnce(),)), ("a", "0", 2), ("a", "2", 4))
    assert found.scores("inverse", "a") == {"0": 0.5, "2": 0.25}
    assert "The metric inverse failed on all outputs at once" in caplog.text
    assert "The library broke." in caplog.text
