"""The example dashboard and alerts ask for metrics that exist, by labels that they have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.metrics_core import Metric

from app.operation.metrics import Metrics

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
NAME = re.compile(r"\bedumod_\w+")
LABELS = re.compile(r"by \(([^)]*)\)")


def expressions() -> dict[str, list[str]]:
    dashboard: dict[str, Any] = json.loads((EXAMPLES / "grafana.json").read_text(encoding="utf-8"))
    (alerts,) = yaml.safe_load((EXAMPLES / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    return {
        "grafana.json": [one["expr"] for panel in dashboard["panels"] for one in panel["targets"]],
        "alerts.yaml": [rule["expr"] for rule in alerts["rules"]],
    }


def names(metric: Metric) -> set[str]:
    """The names of a metric's samples."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
    return {metric.name + suffix for suffix in suffixes.get(metric.type, ("",))}


@pytest.mark.parametrize(("file", "asked"), [(file, one) for file, all_ in expressions().items() for one in all_])
def test_an_example_asks_for_what_is_measured(file: str, asked: str) -> None:
    measured = {name for metric in Metrics().registry.collect() for name in names(metric)}
    assert set(NAME.findall(asked)) <= measured, file


def test_the_dashboard_shows_everything_that_is_measured() -> None:
    shown = {name for one in expressions()["grafana.json"] for name in NAME.findall(one)}
    own = [metric for metric in Metrics().registry.collect() if metric.name.startswith("edumod_")]
    assert [metric.name for metric in own if not names(metric) & shown] == []


@pytest.mark.parametrize("asked", expressions()["grafana.json"])
def test_the_dashboard_groups_by_labels_that_exist(asked: str) -> None:
    grouped = {label for group in LABELS.findall(asked) for label in group.split(", ")}
    assert grouped <= {"status", "route", "le", "pipeline", "outcome", "model", "kind", "retriever", "queue"}
