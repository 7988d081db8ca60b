"""Compares two stored evaluations item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from core.access import EVERYTHING, Reach
from core.errors import InvalidInput, UnknownName
from core.store.evaluations import Evaluations
from core.types import Value
from eval.comparison.item_differences import MAX_SHOWN, ItemDifferences, item_differences, missing_items
from eval.comparison.limits import MetricLimit
from eval.metrics.base import Direction
from eval.report import Measure
from eval.scoring import mean_scores
from eval.setups.conditions import changed_conditions
from eval.statistics import Mean, Paired, holm, paired
from eval.stored import StoredEvaluation, stored_evaluation


class Side(Value):
    """One of the two evaluations."""

    id: str
    kind: str
    dataset: str
    n: int
    model: str | None


class MetricDifference(Value):
    """The candidate's values minus those of the base, on the items that both have scored."""

    metric: str
    direction: Direction
    n: int
    base: float | None = Field(description="Mean over these items.")
    candidate: float | None
    difference: Mean
    missing: int = Field(description="Items that the base scored and the candidate did not score under every seed.")
    p: float = Field(description="Two-sided sign-flip permutation test, adjusted for all tests of the report (Holm).")


class ActorComparison(Value):
    """One actor of the base and one of the candidate."""

    base: str
    candidate: str
    metrics: tuple[MetricDifference, ...]
    items: ItemDifferences


class ComparisonReport(Value):
    """`warnings` name reasons not to compare the two, and items missing in the candidate. `failures` name limits that
    are exceeded, or cannot be checked because items are missing."""

    base: Side
    candidate: Side
    warnings: tuple[str, ...]
    changes: tuple[str, ...] = Field(default=(), description="Conditions that differ, which may explain a difference.")
    actors: tuple[ActorComparison, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True)
class ChosenEvaluation:
    """An evaluation, and one of its actors if it was named."""

    stored: StoredEvaluation
    actor: str | None


async def selected(evaluations: Evaluations, text: str, reach: Reach = EVERYTHING) -> ChosenEvaluation:
    """The evaluation and actor written `ID` or `ID:ACTOR`. Raises `NotFound`, `InvalidInput` and `UnknownName`."""
    prefix, _, actor = text.partition(":")
    stored = await stored_evaluation(evaluations, prefix, reach)
    if actor and actor not in stored.report.actors:
        raise UnknownName("actor", actor, stored.report.actors)
    return ChosenEvaluation(stored, actor or None)


def compared(
    base: ChosenEvaluation, candidate: ChosenEvaluation, limits: Sequence[MetricLimit] = (), *, force: bool = False
) -> ComparisonReport:
    """Differences per actor and metric. CPU-bound.

    Raises `InvalidInput` if the two were measured under different conditions. With `force` the report warns instead.
    """
    unlike = tuple(_unlike(base.stored, candidate.stored))
    if unlike and not force:
        raise InvalidInput(f"{' '.join(unlike)} To compare them anyway, use --force.")
    measures = _common_measures(base.stored, candidate.stored)
    for limit in limits:
        limit.check(measures)
    pairs = _pairs(base, candidate)
    actors = _adjusted([_compared(base.stored, candidate.stored, *pair, measures) for pair in pairs])
    return ComparisonReport(
        base=_side(base.stored),
        candidate=_side(candidate.stored),
        warnings=(*unlike, *(text for actor in actors for text in _missing(actor, actor.items.metric))),
        changes=tuple(changed_conditions(base.stored.row.config, candidate.stored.row.config)),
        actors=tuple(actors),
        failures=tuple(_failures(actors, limits)),
    )


def _side(stored: StoredEvaluation) -> Side:
    report = stored.report
    return Side(id=stored.row.id, kind=report.kind, dataset=report.dataset, n=report.n, model=report.model)


def _unlike(base: StoredEvaluation, candidate: StoredEvaluation) -> Iterator[str]:
    """Reasons why the two should not be compared."""
    one, other = base.report, candidate.report
    if one.dataset != other.dataset:
        yield f"{base.name} measured the data set {one.dataset!r}, {candidate.name} {other.dataset!r}."
    elif base.row.config.get("material", "") != candidate.row.config.get("material", ""):
        yield f"The corpus of {one.dataset!r} changed between {base.name} and {candidate.name}."
    if None in (one.digest, other.digest):
        yield f"The labels of {base.name} or {candidate.name} are not known: an earlier version stored it."
    elif one.digest != other.digest:
        yield f"Labels or contents differ between {base.name} and {candidate.name}: {_edited(base, candidate)}."
    versions = {measure.name: measure.version for measure in one.metrics}
    for measure in other.metrics:
        if versions.get(measure.name, measure.version) != measure.version:
            yield (
                f"{base.name} has version {versions[measure.name]} of {measure.name}, "
                f"{candidate.name} version {measure.version}."
            )


def _edited(base: StoredEvaluation, candidate: StoredEvaluation) -> str:
    names = sorted(base.items.keys() | candidate.items.keys())
    edited = [
        name
        for name in names
        if name not in base.items
        or name not in candidate.items
        or base.items[name].digest != candidate.items[name].digest
    ]
    shown = ", ".join(edited[:MAX_SHOWN]) + (", …" if len(edited) > MAX_SHOWN else "")
    return f"{len(edited)} item{'s' * (len(edited) != 1)} ({shown})"


def _common_measures(base: StoredEvaluation, candidate: StoredEvaluation) -> dict[str, Measure]:
    """Metrics that both evaluations have. Raises `InvalidInput` if there is none, or if scores are not stored."""
    for one in (base, candidate):
        if not any(row.scores for row in one.results):
            raise InvalidInput(
                f"{one.name} has no scores of single items: an earlier version stored it. Measure it again."
            )
    names = {measure.name for measure in base.report.metrics}
    common = {measure.name: measure for measure in candidate.report.metrics if measure.name in names}
    if not common:
        raise InvalidInput(f"{base.name} and {candidate.name} have no metric in common.")
    return common


def _pairs(base: ChosenEvaluation, candidate: ChosenEvaluation) -> list[tuple[str, str]]:
    """Pairs of actors of base and candidate: by name, unless the two are given."""
    if base.actor and candidate.actor:
        return [(base.actor, candidate.actor)]
    ours, theirs = base.stored.report.actors, candidate.stored.report.actors
    if base.actor:
        return [(base.actor, _partner(base.actor, theirs))]
    if candidate.actor:
        return [(_partner(candidate.actor, ours), candidate.actor)]
    if shared := [(name, name) for name in ours if name in theirs]:
        return shared
    raise InvalidInput(
        f"No actor is in both evaluations: {', '.join(ours)} and {', '.join(theirs)}. Name two, as ID:ACTOR."
    )


def _partner(actor: str, others: Mapping[str, object]) -> str:
    """The actor of that name, or else the only actor."""
    if actor in others or len(others) != 1:
        if actor not in others:
            raise UnknownName("actor", actor, others)
        return actor
    return next(iter(others))


def _compared(
    base: StoredEvaluation, candidate: StoredEvaluation, ours: str, theirs: str, measures: Mapping[str, Measure]
) -> ActorComparison:
    rows = (base.of(ours), candidate.of(theirs))
    scores = {name: (mean_scores(rows[0], name), mean_scores(rows[1], name)) for name in measures}
    first = next(iter(measures.values()))
    return ActorComparison(
        base=ours,
        candidate=theirs,
        metrics=tuple(
            _difference(measures[name], *values, len(missing_items(*rows, name))) for name, values in scores.items()
        ),
        items=item_differences(base, candidate, ours, theirs, first, *scores[first.name]),
    )


def _difference(
    measure: Measure, base: dict[str, float], candidate: dict[str, float], missing: int
) -> MetricDifference:
    found: Paired = paired(base, candidate)
    shared = [item for item in base if item in candidate]
    return MetricDifference(
        metric=measure.name,
        direction=measure.direction,
        n=found.n,
        base=_mean(base, shared),
        candidate=_mean(candidate, shared),
        difference=found.difference,
        missing=missing,
        p=found.p,
    )


def _mean(values: Mapping[str, float], items: Sequence[str]) -> float | None:
    return round(sum(values[item] for item in items) / len(items), 6) if items else None


def _adjusted(actors: Sequence[ActorComparison]) -> list[ActorComparison]:
    """The comparisons with each p adjusted for all tests of all actors."""
    ps = iter(holm([metric.p for actor in actors for metric in actor.metrics]))
    return [
        actor.model_copy(update={"metrics": tuple(one.model_copy(update={"p": next(ps)}) for one in actor.metrics)})
        for actor in actors
    ]


def _failures(actors: Sequence[ActorComparison], limits: Sequence[MetricLimit]) -> Iterator[str]:
    for actor in actors:
        for limit in limits:
            one = _metric(actor, limit.metric)
            if one.base is None or one.candidate is None:
                yield f"{actor.candidate}: {limit.metric} has no item that both scored."
            elif limit.exceeded(one.direction, one.base, one.candidate):
                yield (
                    f"{actor.candidate}: {limit.metric} went from {one.base:.6g} to {one.candidate:.6g}, "
                    f"beyond the limit of {limit.text}."
                )
        for name in dict.fromkeys(limit.metric for limit in limits):
            yield from _missing(actor, name)


def _missing(actor: ActorComparison, metric: str) -> Iterator[str]:
    """Failures for missing items: otherwise a candidate that fails on hard items would be judged by the easy ones."""
    if missing := _metric(actor, metric).missing:
        items, are = ("item", "is") if missing == 1 else ("items", "are")
        yield (
            f"{actor.candidate}: {missing} {items} that the base scored by {metric} {are} missing: not scored in the "
            "candidate, or not under every seed."
        )


def _metric(actor: ActorComparison, name: str) -> MetricDifference:
    (found,) = [metric for metric in actor.metrics if metric.metric == name]
    return found
