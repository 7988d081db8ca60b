"""The detection of personal data, evaluated on marked texts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.concurrency import in_thread
from core.dataset import Dataset
from core.privacy.masks import Detector
from eval.actors.computed import ComputedActor
from eval.metrics.base import Metric
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan
from eval.privacy.dataset import PrivacyItem, marked, read_privacy_items
from eval.privacy.report import extents, listed_spans, spans_in, spans_to_json

KIND = "privacy"


@asynccontextmanager
async def open_privacy(path: Path) -> AsyncIterator[Plan[PrivacyItem]]:
    """Detection in every text of a file. Raises `InvalidInput` naming what cannot be used."""
    yield privacy_plan(path.stem, read_privacy_items(path))


def privacy_plan(name: str, items: Sequence[PrivacyItem]) -> Plan[PrivacyItem]:
    """Detection in every text."""
    return Plan(KIND, Dataset(name, tuple(items)), (ComputedActor(_detect),), METRICS)


async def _detect(item: PrivacyItem) -> Any:
    text = marked(item.text).text
    return spans_to_json(await in_thread(Detector.of(item.people, item.student_id).find, text))


def _recall(item: PrivacyItem, output: Any) -> float | None:
    """Share of what is marked that is found, by exact extent."""
    expected = extents(marked(item.text).spans)
    return len(expected & extents(spans_in(output))) / len(expected) if expected else None


def _precision(item: PrivacyItem, output: Any) -> float | None:
    """Share of what is found that is marked, by exact extent."""
    text = marked(item.text)
    found = extents(listed_spans(spans_in(output), text))
    return len(found & extents(text.spans)) / len(found) if found else None


METRICS: tuple[Metric[Any], ...] = (
    RuleMetric("recall_of_marked", _recall),
    RuleMetric("precision_of_found", _precision),
    LatencyMs(),
)
