"""The one evaluation runner: every actor on every item under every seed, each a durable row.

A run that was killed goes on where it stopped and pays for nothing twice; a run that was finished is measured anew. An
item that failed stays a failure: it is neither scored as 0 nor left out of the count.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Generic, TypeVar

from core.errors import EduModError, SetupError
from core.llm.base import LLM
from core.llm.metered import Metered
from core.settings import ModelPrice
from core.store.evaluations import Evaluations
from core.store.tables import EvaluationRow, EvaluationState, ResultRow, ResultState
from core.types import Usage

T = TypeVar("T")
log = logging.getLogger("edumod")

Act = Callable[[T, int, LLM], Awaitable[Any]]
"""What an actor does with an item under a seed, asking only the given model. Its output must fit into JSON."""
Progress = Callable[[int, int], None]
"""Told how many of how many rows are there."""


@dataclass(frozen=True)
class Plan(Generic[T]):
    """What is measured: actors by name, items by id. `facts` is all else on which the outcome depends."""

    course_id: str
    kind: str
    items: Mapping[str, T]
    actors: Mapping[str, Act[T]]
    seeds: tuple[int, ...] = (0,)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        return {"actors": list(self.actors), "seeds": list(self.seeds), "n": len(self.items), **self.facts}

    @property
    def key(self) -> str:
        """Equal where a run that was stopped may be continued."""
        what = json.dumps([self.config, list(self.items)], sort_keys=True, default=str)
        return hashlib.sha256(what.encode()).hexdigest()[:32]

    def cells(self) -> Iterator[tuple[str, str, int]]:
        """(actor, item, seed), item by item: wherever a run stops, its actors have answered the same questions."""
        return ((actor, item, seed) for item in self.items for seed in self.seeds for actor in self.actors)


@dataclass(frozen=True)
class Outcome:
    """An evaluation's rows. `capped` where the cost cap left some cells without one."""

    evaluation: EvaluationRow
    rows: tuple[ResultRow, ...]
    capped: bool

    def of(self, actor: str) -> list[ResultRow]:
        return [row for row in self.rows if row.actor == actor]


def mean_usage(rows: Sequence[ResultRow], *fields: str) -> float | None:
    """What a row used of these on average, failed ones included: they cost too. None where a price is not known."""
    values = [row.usage.get(field) for row in rows for field in fields]
    if not rows or any(value is None for value in values):
        return None
    return round(sum(float(value or 0.0) for value in values) / len(rows), 6)


@dataclass(frozen=True)
class Runner:
    """`concurrency` cells at once; none is begun once `max_cost_usd` is spent."""

    evaluations: Evaluations
    llm: LLM
    prices: Mapping[str, ModelPrice]
    concurrency: int = 1
    max_cost_usd: float | None = None

    async def run(self, plan: Plan[T], progress: Progress = lambda _done, _all: None) -> Outcome:
        """Measure what is missing. Raises `SetupError` where a cap is set and a model has no known price."""
        evaluation = await self.evaluations.open(plan.course_id, plan.kind, plan.key, plan.config)
        stored = await self.evaluations.results(evaluation.id)
        work = _Work(self, plan, evaluation.id, {_cell(row): row for row in stored}, progress)
        await work.done()
        return Outcome(evaluation, tuple(work.rows.values()), capped=work.capped)

    async def finish(self, outcome: Outcome, summary: dict[str, Any]) -> None:
        """Close the evaluation: its summary stays, and the next run of the same plan starts anew."""
        state = EvaluationState.CAPPED if outcome.capped else EvaluationState.DONE
        await self.evaluations.finish(outcome.evaluation.id, state, summary)


class _Work(Generic[T]):
    def __init__(
        self,
        runner: Runner,
        plan: Plan[T],
        evaluation_id: str,
        stored: dict[tuple[str, str, int], ResultRow],
        progress: Progress,
    ) -> None:
        self._runner = runner
        self._plan = plan
        self._evaluation_id = evaluation_id
        self._progress = progress
        self._total = len(plan.items) * len(plan.actors) * len(plan.seeds)
        self._spent = sum(float(row.usage.get("cost_usd") or 0.0) for row in stored.values())
        # A failure is tried again; what succeeded is not.
        self.rows = {cell: row for cell, row in stored.items() if row.state == ResultState.SCORED}
        self.capped = False
        self._left = iter([cell for cell in plan.cells() if cell not in self.rows])
        self._unsaved: list[ResultRow] = []
        self._saving = asyncio.Lock()

    async def done(self) -> None:
        self._progress(len(self.rows), self._total)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._runner.concurrency):
                    group.create_task(self._worker())
        except ExceptionGroup as group_of_errors:
            raise group_of_errors.exceptions[0] from None
        finally:
            await asyncio.shield(self._save())

    async def _worker(self) -> None:
        for actor, item, seed in self._left:
            if self._is_spent():
                self.capped = True
                return
            row = await self._measured(actor, item, seed)
            self.rows[_cell(row)] = row
            self._unsaved.append(row)
            await self._save()
            self._progress(len(self.rows), self._total)
            self._spend(Usage.model_validate(row.usage))

    async def _measured(self, actor: str, item: str, seed: int) -> ResultRow:
        meter = Metered(self._runner.llm, self._runner.prices)
        row = ResultRow(evaluation_id=self._evaluation_id, actor=actor, item=item, seed=seed, state=ResultState.SCORED)
        started = perf_counter()
        try:
            row.output = await self._plan.actors[actor](self._plan.items[item], seed, meter)
        except EduModError as error:
            row.state, row.error = ResultState.FAILED, {"code": error.code, "detail": str(error)}
        except Exception as error:
            log.exception("%s failed on %s", actor, item)
            row.state, row.error = (
                ResultState.FAILED,
                {"code": "internal", "detail": f"{type(error).__name__}: {error}"},
            )
        row.ms = 1000 * (perf_counter() - started)
        row.usage = meter.total.model_dump(mode="json")
        return row

    def _spend(self, usage: Usage) -> None:
        if usage.cost_usd is None and self._runner.max_cost_usd is not None:
            raise SetupError(
                f"A cost cap is set, but the price of the model {self._runner.llm.model!r} is not known. "
                "Set EDUMOD_LLM_PRICES, or leave the cap out."
            )
        self._spent += usage.cost_usd or 0.0

    def _is_spent(self) -> bool:
        cap = self._runner.max_cost_usd
        return cap is not None and self._spent >= cap

    async def _save(self) -> None:
        """Rows that arrive while others are being written share the next write."""
        async with self._saving:
            rows, self._unsaved = self._unsaved, []
            if rows:
                await self._runner.evaluations.save(rows)


def _cell(row: ResultRow) -> tuple[str, str, int]:
    return (row.actor, row.item, row.seed)
