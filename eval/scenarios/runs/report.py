"""The report on a run: what every model got in every field, and how far the judges agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean

import numpy as np
from pydantic import Field

from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.agreement import ScoreAgreement, Scores, agreement
from eval.metrics.field import Field as FieldMetric
from eval.metrics.finished import Finished
from eval.report import Figures, Report, common, common_figures, failures, plain_figures
from eval.scenarios.evaluation import TaskItem
from eval.scenarios.judging import DialogueItem
from eval.scenarios.runs.outcome import JudgedDialogue
from eval.scenarios.runs.request import RunRequest
from eval.scenarios.templates import as_text
from eval.scoring import ScoredRun, score_value
from eval.statistics import Comparison, Mean, Resampling, compare, mean_of

FIELD = f"{FieldMetric.stem}@"


class ModelFigures(Figures):
    """Figures of one model; means are over tasks, each the mean of its seeds and judgements.

    Usage and latency are those of its dialogues, without the judges.
    """

    partial: int = Field(description="Dialogues that the turn limit ended. They are judged like others.")
    turns: float | None = Field(description="Mean turns of a dialogue.")
    unjudged: int = Field(description="Judgements that failed; they are no scores.")
    seed_means: dict[str, tuple[float | None, ...]] = Field(description="Mean of every field under each seed.")


class ValueFigures(Value):
    """Means of the fields by model, on the tasks in which a variable has one value, such as one persona."""

    value: str
    tasks: int
    models: dict[str, dict[str, Mean]]


class Judges(Value):
    """How two judges agree on a field, on average over all pairs; of one judge, two of its samples."""

    raters: tuple[str, ...]
    fields: dict[str, ScoreAgreement]


class ScenarioReport(Report[ModelFigures]):
    """One scenario. `actors` are the models that played the agent under test; `comparisons` are by the first field."""

    actors: dict[str, ModelFigures] = Field(alias="models")
    agent: str = Field(description="The agent under test.")
    judges: dict[str, Figures] = Field(description="What each judge cost.")
    agreement: Judges | None = Field(description="None with one judgement of each dialogue.")
    variables: dict[str, tuple[ValueFigures, ...]] = Field(description="By variables whose values recur in tasks.")
    differences: dict[str, tuple[Comparison, ...]] = Field(description="Paired tests over tasks, by field (Holm).")

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that the judges fill in with numbers."""
        return tuple(name.removeprefix(FIELD) for name in self.means if name.startswith(FIELD))

    @property
    def complete(self) -> bool:
        """Whether every dialogue was held and judged."""
        return super().complete and not any(figures.unjudged for figures in self.actors.values())


def scenario_report(
    request: RunRequest, held: ScoredRun[TaskItem], judged: ScoredRun[DialogueItem], whole: ScoredRun[TaskItem]
) -> ScenarioReport:
    """`whole` is the evaluation of dialogues with their judgements. CPU-bound."""
    fields = [metric.name for metric in whole.plan.metrics if metric.name.startswith(FIELD)]
    names = [actor.name for actor in whole.plan.actors]
    differences = {
        name.removeprefix(FIELD): tuple(compare({model: whole.scores(name, model) for model in names}))
        for name in fields
    }
    facts = {**common(whole), "capped": held.capped or judged.capped, "model": None}
    facts["remarks"] = (*failures(held), *failures(judged))
    return ScenarioReport(
        **facts,
        actors={name: _figures(held, whole, name, fields) for name in names},
        comparisons=next(iter(differences.values()), ()),
        agent=request.agent,
        judges=plain_figures(judged),
        agreement=_agreement(request, whole),
        variables=dict(_variables(whole, fields)),
        differences=differences,
    )


def _figures(held: ScoredRun[TaskItem], whole: ScoredRun[TaskItem], model: str, fields: Sequence[str]) -> ModelFigures:
    dialogues = [JudgedDialogue.model_validate(row.output) for row in _scored(whole, model)]
    means = {name: _mean(list(whole.scores(name, model).values())) for name in fields}
    return ModelFigures.model_validate(
        {
            **means,
            **common_figures(held, model),
            "partial": sum(one.is_partial for one in dialogues),
            "turns": round(fmean(len(one.turns) for one in dialogues), 3) if dialogues else None,
            "unjudged": sum(judgement.error is not None for one in dialogues for judgement in one.judgements),
            "seed_means": {name.removeprefix(FIELD): _seed_means(whole, model, name) for name in fields},
        }
    )


def _scored(whole: ScoredRun[TaskItem], model: str) -> list[ResultRow]:
    return [row for row in whole.of(model) if row.state == ResultState.SCORED]


def _seed_means(whole: ScoredRun[TaskItem], model: str, metric: str) -> tuple[float | None, ...]:
    by_seed: dict[int, list[float]] = {seed: [] for seed in whole.plan.seeds}
    for row in whole.of(model):
        if (value := score_value(row.scores, metric)) is not None:
            by_seed[row.seed].append(value)
    return tuple(round(fmean(values), 6) if values else None for values in by_seed.values())


def _mean(values: list[float]) -> Mean:
    return mean_of(values, shares=False)


def _variables(whole: ScoredRun[TaskItem], fields: Sequence[str]) -> Iterator[tuple[str, tuple[ValueFigures, ...]]]:
    """Variables that have several values of which at least one is in several tasks, such as personas."""
    items = whole.plan.dataset.items
    for variable in dict.fromkeys(name for item in items for name in item.task):
        groups: dict[str, list[str]] = {}
        for item in items:
            groups.setdefault(as_text(item.task.get(variable)), []).append(item.id)
        if 1 < len(groups) < len(items):
            yield variable, tuple(_of_value(whole, fields, value, ids) for value, ids in groups.items())


def _of_value(whole: ScoredRun[TaskItem], fields: Sequence[str], value: str, ids: Sequence[str]) -> ValueFigures:
    models = {
        actor.name: {
            name.removeprefix(FIELD): _mean([found[one] for one in ids if one in found])
            for name in (*fields, Finished.stem)
            for found in (whole.scores(name, actor.name),)
        }
        for actor in whole.plan.actors
    }
    return ValueFigures(value=value, tasks=len(ids), models=models)


def _agreement(request: RunRequest, whole: ScoredRun[TaskItem]) -> Judges | None:
    """Of judges, each by the mean of its samples; of one judge, of its samples."""
    raters = (
        list(request.judges) if len(request.judges) > 1 else [f"sample {one + 1}" for one in range(request.samples)]
    )
    if len(raters) < 2:
        return None
    ratings = _ratings(whole, by_judge=len(request.judges) > 1)
    fields = [metric.name.removeprefix(FIELD) for metric in whole.plan.metrics if metric.name.startswith(FIELD)]
    return Judges(raters=tuple(raters), fields={field: _agreement_on(ratings[field], raters) for field in fields})


def _ratings(whole: ScoredRun[TaskItem], by_judge: bool) -> Mapping[str, list[tuple[str, dict[str, float]]]]:
    """By field: the task of each dialogue, and its score by rater."""
    found: dict[str, list[tuple[str, dict[str, float]]]] = {}
    for row in whole.rows:
        if row.state != ResultState.SCORED:
            continue
        given: dict[str, dict[str, list[float]]] = {}
        for one in JudgedDialogue.model_validate(row.output).judgements:
            rater = one.judge if by_judge else f"sample {one.sample + 1}"
            for field, value in one.scores.items():
                given.setdefault(field, {}).setdefault(rater, []).append(value)
        for field, scores in given.items():
            found.setdefault(field, []).append((row.item, {name: fmean(values) for name, values in scores.items()}))
    return found


def _agreement_on(ratings: Sequence[tuple[str, dict[str, float]]], raters: Sequence[str]) -> ScoreAgreement:
    """On the dialogues that all of them scored, resampled by task."""
    whole = [(task, scores) for task, scores in ratings if len(scores) == len(raters)]
    columns: list[Scores] = [np.array([scores[rater] for _, scores in whole]) for rater in raters]
    return agreement(Resampling([task for task, _ in whole]), list(combinations(columns, 2)))
