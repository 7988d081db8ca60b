"""Reports: the typed result of an evaluation, in one shape for terminal, JSON, page and storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from core.dataset import I
from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.metrics.base import Direction, Metric, MetricUnit
from eval.metrics.latency_ms import LatencyMs
from eval.scoring import ScoredRun, mean_usage, score_value
from eval.statistics import Comparison, Mean, mean_of, percentile

SHOWN_FAILURES = 3
"""Reasons in a report; every row has its own."""


class KindItem(Protocol):
    """An item of one of several kinds."""

    @property
    def id(self) -> str: ...

    @property
    def kind(self) -> str: ...


class Measure(Value):
    """A metric in the version that was used."""

    name: str
    version: str
    unit: MetricUnit
    direction: Direction


class Latency(Value):
    """Milliseconds from passing an item to an actor until its output, over scored rows; null without timed rows."""

    p50: float | None
    p95: float | None


class Means(BaseModel):
    """Means with their intervals, by the name of the metric, such as `recall@5`."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, Mean] = Field(init=False)

    @property
    def means(self) -> dict[str, Mean]:
        return self.__pydantic_extra__


class KindFigures(Means):
    """Means on the items of one kind."""

    n: int


class Figures(Means):
    """Scores and usage of one actor. Usage is the mean per row, including failed ones."""

    latency_ms: Latency
    model_calls: float | None
    cached_calls: float | None = None
    tokens: float | None
    cost_usd: float | None = Field(description="None if the price of a used model is not known.")
    unscored: int = Field(description="Rows that failed or were not started.")
    replayed: bool = Field(default=False, description="Whether replies of a model came from a recording.")


F = TypeVar("F", bound=Figures)


class Report(Value, Generic[F]):
    """The common part of all reports. `actors` are by name; each kind of evaluation has its own JSON key for them."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", serialize_by_alias=True, validate_by_alias=True, validate_by_name=True
    )

    evaluation: str = Field(description="Its id.")
    kind: str
    dataset: str
    course: str | None
    digest: str | None = Field(description="Digest of contents and labels of all items; None if it was not stored.")
    n: int = Field(description="Items.")
    seeds: int
    model: str | None
    metrics: tuple[Measure, ...] = Field(description="Actors are compared by the first.")
    actors: dict[str, F]
    comparisons: tuple[Comparison, ...]
    conditions: dict[str, Any] = Field(
        default_factory=dict,
        description="What could change the figures besides items and seeds: versions of program, course and "
        "prompts, models, the embedding model, and the identity of each actor. Empty in reports of earlier versions.",
    )
    capped: bool = Field(default=False, description="True if the cost cap ended the run.")
    unrecorded: dict[str, int] = Field(
        default_factory=dict,
        description="Requests that the replayed recording has no reply to, by name and version of their prompt. The "
        "outputs that needed one failed.",
    )
    remarks: tuple[str, ...] = Field(default=(), description="What the figures leave out, such as why rows failed.")

    @property
    def means(self) -> tuple[str, ...]:
        """Names of the metrics for which actors have means."""
        return tuple(one.name for one in self.metrics if one.name != LatencyMs.stem)

    @property
    def complete(self) -> bool:
        """Whether every item was scored for every actor."""
        return not self.capped and not any(figures.unscored for figures in self.actors.values())


def common(outcome: ScoredRun[I]) -> dict[str, Any]:
    """The fields that are the same in reports of all kinds."""
    plan = outcome.plan
    unrecorded = unrecorded_requests(outcome.rows)
    return {
        "evaluation": outcome.evaluation.id,
        "kind": plan.kind,
        "dataset": plan.dataset.name,
        "course": plan.course_id,
        "digest": plan.dataset.digest,
        "n": len(plan.dataset.items),
        "seeds": len(plan.seeds),
        "model": plan.facts.get("model"),
        "metrics": tuple(measure(metric) for metric in plan.metrics),
        "conditions": plan.conditions,
        "capped": outcome.capped,
        "unrecorded": unrecorded,
        "remarks": (
            *(remark for actor in plan.actors for remark in actor.remarks),
            *replay_remarks(plan.facts.get("recording"), unrecorded, other_excerpts(outcome.rows)),
            *failures(outcome),
        ),
    }


def unrecorded_requests(rows: Iterable[ResultRow]) -> dict[str, int]:
    """Requests that a recording has no reply to, by prompt."""
    requests: Counter[str] = Counter()
    for row in rows:
        requests.update((row.error or {}).get("prompts", {}))
    return dict(sorted(requests.items()))


def other_excerpts(rows: Iterable[ResultRow]) -> int:
    """Replies that were recorded with other excerpts of the same passages."""
    return sum(int(row.usage.get("other_excerpts_calls") or 0) for row in rows)


def replay_remarks(
    recording: Mapping[str, Any] | None, unrecorded: Mapping[str, int], with_other_excerpts: int = 0
) -> Iterator[str]:
    """What readers must know of figures that are made from recorded replies."""
    if recording is not None:
        origin = recording["origin"] or "not stated"
        yield f"Replies of the model are from the recording {recording['file']} ({recording['digest']}): {origin}"
    if with_other_excerpts:
        yield (
            f"{with_other_excerpts} replies were recorded with other excerpts or another order of passages: how well a "
            "passage matches differs between processors."
        )
    for prompt, count in unrecorded.items():
        yield f"{count} requests of {prompt} are not in the recording; the outputs that needed them failed."


def failures(outcome: ScoredRun[I]) -> tuple[str, ...]:
    """Why rows failed, the most frequent reasons first, each with its number of rows."""
    reasons = Counter((row.error or {}).get("detail") for row in outcome.rows if row.state == ResultState.FAILED)
    return tuple(f"{count} failed: {reason}" for reason, count in reasons.most_common(SHOWN_FAILURES) if reason)


def measure(metric: Metric[Any]) -> Measure:
    """The metric as it is described in a report."""
    return Measure(name=metric.name, version=metric.version, unit=metric.unit, direction=metric.direction)


def common_figures(outcome: ScoredRun[I], actor: str) -> dict[str, Any]:
    """The figures that actors of all kinds have: means of all metrics, usage, latency, and rows without a score."""
    rows = outcome.of(actor)
    cells = len(outcome.plan.dataset.items) * len(outcome.plan.seeds)
    return {
        **{
            metric.name: mean_of(
                list(outcome.scores(metric.name, actor).values()), shares=metric.unit is MetricUnit.SHARE
            )
            for metric in outcome.plan.metrics
            if not isinstance(metric, LatencyMs)
        },
        "latency_ms": latency(rows),
        "model_calls": mean_usage(rows, "calls"),
        "cached_calls": mean_usage(rows, "cached_calls"),
        "tokens": mean_usage(rows, "prompt_tokens", "completion_tokens"),
        "cost_usd": mean_usage(rows, "cost_usd"),
        "replayed": any(row.usage.get("replayed_calls") for row in rows),
        "unscored": cells - sum(row.state == ResultState.SCORED for row in rows),
    }


def plain_figures(outcome: ScoredRun[I]) -> dict[str, Figures]:
    """The figures of every actor in a kind of evaluation that adds none."""
    return {actor.name: Figures.model_validate(common_figures(outcome, actor.name)) for actor in outcome.plan.actors}


def group_by_kind(items: Iterable[KindItem]) -> dict[str, list[str]]:
    """Ids of items by their kinds, in the order of the kinds' names."""
    kinds: dict[str, list[str]] = {}
    for item in items:
        kinds.setdefault(item.kind, []).append(item.id)
    return dict(sorted(kinds.items()))


class PlainReport(Report[Figures]):
    """The report of a kind of evaluation that adds nothing."""


def plain_report(outcome: ScoredRun[I]) -> PlainReport:
    """The figures of every actor."""
    return PlainReport(**common(outcome), actors=plain_figures(outcome), comparisons=())


def latency(rows: Sequence[ResultRow]) -> Latency:
    """Percentiles of the rows that have a score for `latency_ms`."""
    values = [value for row in rows if (value := score_value(row.scores, LatencyMs.stem)) is not None]
    return Latency(p50=percentile(values, 0.5), p95=percentile(values, 0.95))
