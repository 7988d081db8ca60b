"""Differences of single items between two evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from core.store.tables import ResultRow, ResultState
from core.types import Value
from eval.metrics.base import Direction
from eval.report import Measure
from eval.scoring import score_value
from eval.statistics import SPREAD
from eval.stored import StoredEvaluation

STEPS = "steps"
"""Part of an output that says how it came about, which makes it no other one."""
MAX_SHOWN = 10
"""Maximum items shown of each kind: better, worse, changed and missing."""


class ItemDifference(Value):
    """The scores of one item. A value is None if the item was not scored."""

    item: str
    text: str
    base: float | None
    candidate: float | None


class ItemDifferences(Value):
    """Items by kind of difference. Counts are of all items; the greatest differences of each kind are shown.

    Changed items have a different output with the same score; missing ones were scored in only one evaluation.
    """

    metric: str = Field(description="Metric by which items are compared.")
    better: int
    worse: int
    changed: int
    missing: int
    shown: dict[str, tuple[ItemDifference, ...]] = Field(description="By `better`, `worse`, `changed`, `missing`.")


def item_differences(
    base: StoredEvaluation,
    candidate: StoredEvaluation,
    ours: str,
    theirs: str,
    measure: Measure,
    before: Mapping[str, float],
    after: Mapping[str, float],
) -> ItemDifferences:
    """The differences between two actors; `before` and `after` are their scores by item."""
    sign = 1 if measure.direction is Direction.HIGHER else -1
    outputs = [_outputs(stored, name) for stored, name in ((base, ours), (candidate, theirs))]
    texts = {name: item.text for stored in (base, candidate) for name, item in stored.items.items()}
    found: dict[str, list[ItemDifference]] = {"better": [], "worse": [], "changed": [], "missing": []}
    for item in sorted(before.keys() | after.keys()):
        one = ItemDifference(item=item, text=texts.get(item, ""), base=before.get(item), candidate=after.get(item))
        if one.base is None or one.candidate is None:
            found["missing"].append(one)
        elif abs(gain := sign * (one.candidate - one.base)) > SPREAD:
            found["better" if gain > 0 else "worse"].append(one)
        elif outputs[0].get(item) != outputs[1].get(item):
            found["changed"].append(one)
    return ItemDifferences(
        metric=measure.name,
        **{name: len(ones) for name, ones in found.items()},
        shown={name: tuple(sorted(ones, key=_size, reverse=True)[:MAX_SHOWN]) for name, ones in found.items()},
    )


def missing_items(base: Sequence[ResultRow], candidate: Sequence[ResultRow], metric: str) -> frozenset[str]:
    """Items that the base scored and the candidate did not, for any seed used in both."""
    before, after = _scored_cells(base, metric), _scored_cells(candidate, metric)
    found, seeds = {item for item, _ in after}, {row.seed for row in candidate}
    return frozenset(item for item, seed in before - after if seed in seeds or item not in found)


def _scored_cells(rows: Sequence[ResultRow], metric: str) -> set[tuple[str, int]]:
    return {(row.item, row.seed) for row in rows if score_value(row.scores, metric) is not None}


def _size(one: ItemDifference) -> float:
    return abs((one.candidate or 0.0) - (one.base or 0.0))


def _outputs(stored: StoredEvaluation, actor: str) -> dict[str, list[object]]:
    """Outputs by item, in the order of the seeds."""
    found: dict[str, list[object]] = {}
    for row in sorted(stored.of(actor), key=lambda row: row.seed):
        if row.state == ResultState.SCORED:
            found.setdefault(row.item, []).append(_without_steps(row.output))
    return found


def _without_steps(output: object) -> object:
    return {key: value for key, value in output.items() if key != STEPS} if isinstance(output, dict) else output
