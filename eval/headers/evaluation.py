"""The detection of question headers, evaluated on documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.concurrency import in_thread
from core.errors import UnreadableDocument
from eval.actors.computed import ComputedActor
from eval.headers.documents import HeaderDataset, HeaderItem, LabelledDocument, TwinDocuments, read_header_dataset
from eval.headers.matching import compare_twins, count
from eval.metrics.base import Metric
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan

KIND = "headers"


@asynccontextmanager
async def open_headers(folder: Path) -> AsyncIterator[Plan[HeaderItem]]:
    """Detection in every document of a folder. Raises `InvalidInput` naming what cannot be used."""
    yield headers_plan(await in_thread(read_header_dataset, folder))


def headers_plan(dataset: HeaderDataset) -> Plan[HeaderItem]:
    """Detection in every document."""
    return Plan(KIND, dataset.items, (ComputedActor(_detect),), METRICS)


async def _detect(item: HeaderItem) -> Any:
    """Raises `UnreadableDocument` for what could not be loaded."""
    if isinstance(item, TwinDocuments):
        return (await in_thread(compare_twins, item)).model_dump(mode="json")
    if isinstance(item, LabelledDocument) and item.document is not None:
        return (await in_thread(count, item)).model_dump(mode="json")
    raise UnreadableDocument(item.reason)


def _f1(item: HeaderItem, output: Any) -> float | None:
    if not isinstance(item, LabelledDocument) or not (total := output["found"] + output["labelled"]):
        return None
    return float(2 * output["right"] / total)


def _same_questions(item: HeaderItem, output: Any) -> float | None:
    return float(output["agree"]) if isinstance(item, TwinDocuments) else None


def _joined(item: HeaderItem, output: Any) -> float | None:
    return output["solution_blocks_joined"] if isinstance(item, TwinDocuments) else None


METRICS: tuple[Metric[Any], ...] = (
    RuleMetric("f1_of_document", _f1),
    RuleMetric("same_questions", _same_questions),
    RuleMetric("solutions_joined", _joined),
    LatencyMs(),
)
