"""Lists and reads stored evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.access import EVERYTHING, Reach
from core.errors import InvalidInput, UnknownName
from core.store.evaluations import Evaluations
from core.store.store import Store
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, ResultRow
from core.types import Value
from eval.report import Report

if TYPE_CHECKING:
    from eval.kind import EvaluationKind

SHOWN = 100
"""Evaluations on one page."""


class ListedEvaluation(Value):
    """One line of the list of evaluations."""

    id: str
    kind: str
    dataset: str
    course: str | None
    actors: tuple[str, ...]
    n: int
    seeds: int
    state: EvaluationState
    created_at: datetime
    finished_at: datetime | None

    @property
    def cells(self) -> int:
        """Items times actors times seeds."""
        return self.n * len(self.actors) * self.seeds

    @property
    def shown_state(self) -> str:
        """In words; nobody can tell a run that was interrupted from one that another process works on."""
        return "not finished" if self.state == EvaluationState.RUNNING else self.state.value


@dataclass(frozen=True)
class StoredEvaluation:
    """A finished evaluation with all stored data. `items` is empty if an earlier version stored it."""

    row: EvaluationRow
    report: Report[Any]
    results: tuple[ResultRow, ...]
    items: Mapping[str, ItemRow]

    @property
    def name(self) -> str:
        return short_id(self.row.id)

    def of(self, actor: str) -> list[ResultRow]:
        return [row for row in self.results if row.actor == actor]


def kinds() -> Mapping[str, EvaluationKind[Any]]:
    """The kinds of evaluations by name."""
    # Imported here, since all kinds together take a while, and serving answers does not need them.
    from eval.kinds import KINDS

    return KINDS


def short_id(evaluation_id: str) -> str:
    """The first characters of an id, for people."""
    return evaluation_id[:8]


async def listed_evaluations(
    store: Store, course: str | None, kind: str | None, reach: Reach = EVERYTHING, limit: int | None = None
) -> list[ListedEvaluation]:
    """Evaluations within reach, newest first. Raises `NotFound` or `UnknownName` for an unknown course or kind."""
    if course is not None:
        await store.courses.get(course)
    if kind is not None and kind not in kinds():
        raise UnknownName("kind of evaluation", kind, kinds())
    return [listed(row) for row in await store.evaluations.all(course, kind, reach, limit)]


def listed(row: EvaluationRow) -> ListedEvaluation:
    """The evaluation as a line of a list."""
    config = row.config
    return ListedEvaluation(
        id=row.id,
        kind=row.kind,
        dataset=config["dataset"],
        course=row.course_id,
        actors=tuple(config["actors"]),
        n=config["n"],
        seeds=len(config["seeds"]),
        state=row.state,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def comparable(rows: Sequence[EvaluationRow], with_: EvaluationRow) -> list[ListedEvaluation]:
    """The finished runs of the same kind on the same data set, which a run can be compared with."""
    same = [one for one in rows if one.id != with_.id and one.state != EvaluationState.RUNNING]
    return [listed(one) for one in same if one.config["dataset"] == with_.config["dataset"]]


async def stored_report(evaluations: Evaluations, prefix: str, reach: Reach = EVERYTHING) -> Report[Any]:
    """The report of the evaluation whose id starts with `prefix`.

    Raises `NotFound`, also for one out of reach, and `InvalidInput` if several ids do or the evaluation has not ended.
    """
    return await _report(evaluations, await _found(evaluations, prefix, reach))


async def stored_evaluation(evaluations: Evaluations, prefix: str, reach: Reach = EVERYTHING) -> StoredEvaluation:
    """The evaluation whose id starts with `prefix`. Raises the errors of `stored_report`."""
    row = await _found(evaluations, prefix, reach)
    report = await _report(evaluations, row)
    return StoredEvaluation(row, report, tuple(await evaluations.results(row.id)), await evaluations.items(row.id))


async def _found(evaluations: Evaluations, prefix: str, reach: Reach) -> EvaluationRow:
    if not prefix:
        raise InvalidInput("The id of an evaluation is empty. `edumod eval list` shows ids.")
    return await evaluations.find(prefix, reach)


async def _report(evaluations: Evaluations, row: EvaluationRow) -> Report[Any]:
    if row.state == EvaluationState.RUNNING:
        done = len(await evaluations.results(row.id))
        total = row.config["n"] * len(row.config["actors"]) * len(row.config["seeds"])
        raise InvalidInput(
            f"The evaluation {short_id(row.id)} has not ended: {done} of {total} done. "
            "Run its command again to continue."
        )
    report: Report[Any] = kinds()[row.kind].report.model_validate(row.summary)
    return report
