"""Judgements of the dialogues of a run: every dialogue by every judge, as often as asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pydantic import Field

from core.dataset import Dataset
from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.plan import Plan
from eval.scenarios.dialogue import Dialogue
from eval.scenarios.evaluation import JUDGED, TaskItem, judged_metrics
from eval.scenarios.judging import DialogueItem, FileJudge, leaves_in, numbers_in
from eval.scenarios.runs.request import RunRequest
from eval.scoring import ScoredRun

Cell = tuple[str, str, int]
"""Model, task and seed of a dialogue."""


class Judgement(Value):
    """What one judge gave one dialogue: numbers and texts by field, or the reason why there is nothing."""

    judge: str
    sample: int
    scores: dict[str, float] = Field(default_factory=dict)
    texts: dict[str, str] = Field(default_factory=dict)
    error: str | None = None

    @property
    def mean(self) -> float | None:
        """Of all numbers."""
        return fmean(self.scores.values()) if self.scores else None


@dataclass(frozen=True)
class NamedJudge(FileJudge):
    """A model of the file that judges with its fields, under the model's name."""

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.evaluation.model


def judgements_plan(request: RunRequest, dialogues: ScoredRun[TaskItem]) -> Plan[DialogueItem]:
    """Every dialogue that was held, by every judge; samples are the seeds."""
    items = tuple(
        DialogueItem(item_id(cell_of(row)), Dialogue.model_validate(row.output))
        for row in sorted(dialogues.rows, key=lambda row: (row.item, row.seed, row.actor))
        if row.state == ResultState.SCORED
    )
    judges = tuple(NamedJudge(request.scenario, evaluation) for evaluation in request.evaluations().values())
    dataset = Dataset(request.scenario.path.stem, items)
    metrics = judged_metrics(request.scenario.evaluation)
    seeds = tuple(range(request.samples))
    return Plan(JUDGED, dataset, judges if items else (), metrics, seeds, notes=request.scenario.conditions)


def cell_of(row: ResultRow) -> Cell:
    """The dialogue of a row."""
    return row.actor, row.item, row.seed


def item_id(cell: Cell) -> str:
    """The id of a dialogue among those that are judged."""
    model, task, seed = cell
    return f"{task}/{seed}/{model}"


def judgements_by_item(outcome: ScoredRun[DialogueItem]) -> dict[str, list[Judgement]]:
    """All judgements by the id of their dialogue, in the order of judges and samples."""
    order = {actor.name: number for number, actor in enumerate(outcome.plan.actors)}
    found: dict[str, list[Judgement]] = {item.id: [] for item in outcome.plan.dataset.items}
    for row in sorted(outcome.rows, key=lambda row: (order[row.actor], row.seed)):
        found[row.item].append(_judgement(row))
    return found


def _judgement(row: ResultRow) -> Judgement:
    if row.state != ResultState.SCORED:
        return Judgement(judge=row.actor, sample=row.seed, error=(row.error or {}).get("detail", "It failed."))
    fields: Mapping[str, Any] = row.output
    texts = {name: value for name, value in leaves_in(fields) if isinstance(value, str)}
    return Judgement(judge=row.actor, sample=row.seed, scores=dict(numbers_in(fields)), texts=texts)
