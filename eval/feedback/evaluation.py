"""The computed checks of homework, evaluated on labelled submissions."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from core.dataset import Dataset
from core.homework import Verdict
from core.llm.models import NamedModel
from core.work.pool import WorkPool
from eval.actors.computed import ComputedActor
from eval.feedback.dataset import FeedbackDataset, SubmissionItem, read_feedback_dataset
from eval.feedback.report import checks_in, labelled_criteria, to_json
from eval.feedback.with_model import ModelFeedbackActor
from eval.metrics.base import Direction, Metric
from eval.metrics.latency_ms import LatencyMs
from eval.metrics.rule import RuleMetric
from eval.plan import Plan
from eval.setups.conditions import recorded_with
from homework.checker import HomeworkChecker
from homework.findings import HomeworkChecks

KIND = "feedback"


@asynccontextmanager
async def open_feedback(folder: Path) -> AsyncIterator[Plan[SubmissionItem]]:
    """The checks on every submission of a folder. Raises `InvalidInput` naming what cannot be used."""
    dataset = read_feedback_dataset(folder)
    async with WorkPool(os.cpu_count(), shared=False) as pool:
        yield feedback_plan(dataset, HomeworkChecker(pool))


def feedback_plan(
    dataset: FeedbackDataset, checker: HomeworkChecker, model: NamedModel | None = None, sample: int | None = None
) -> Plan[SubmissionItem]:
    """The checks on every submission, or on a sample of them; with a model also the feedback that it writes."""

    async def check(item: SubmissionItem) -> Any:
        return to_json(await checker.check(item.problem.task, item.submission.text))

    items = dataset.items if sample is None else _sample(dataset.items, sample)
    if model is None:
        return Plan(KIND, items, (ComputedActor(check),), METRICS)
    writer = ModelFeedbackActor(checker, model.name, model.fingerprint)
    facts = {"model": model.name, **recorded_with([model])}
    return Plan(KIND, items, (ComputedActor(check), writer), METRICS, facts=facts)


def _sample(items: Dataset[SubmissionItem], size: int) -> Dataset[SubmissionItem]:
    """As many items, the same ones each time, in their order."""
    chosen = {one.id for one in Random(0).sample(items.items, min(size, len(items.items)))}  # noqa: S311
    kept = tuple(one for one in items.items if one.id in chosen)
    return Dataset(f"{items.name}, {len(kept)} of {len(items.items)}", kept)


def _right(item: SubmissionItem, output: Any) -> float | None:
    """Share of the labelled criteria that are flagged, or not flagged, as the label says."""
    checked, labels = checks_in(output), item.submission.labels
    return _share([checked[name].verdict.is_flagged == labels[name].is_flagged for name in labelled_criteria(item)])


def _found(item: SubmissionItem, output: Any) -> float | None:
    """Share of what is amiss that is flagged."""
    return _flagged(checks_in(output), [n for n in labelled_criteria(item) if item.submission.labels[n].is_flagged])


def _false_alarms(item: SubmissionItem, output: Any) -> float | None:
    """Share of what is right that is flagged."""
    right = [name for name in labelled_criteria(item) if item.submission.labels[name] is Verdict.RIGHT]
    return _flagged(checks_in(output), right)


def _flagged(checked: HomeworkChecks, names: Sequence[str]) -> float | None:
    return _share([checked[name].verdict.is_flagged for name in names])


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


METRICS: tuple[Metric[Any], ...] = (
    RuleMetric("right_criteria", _right),
    RuleMetric("flagged_when_amiss", _found),
    RuleMetric("flagged_when_right", _false_alarms, Direction.LOWER),
    LatencyMs(),
)
