"""The evaluation runner: every actor on every item under every seed, each stored as a row.

A stopped run continues without repeating paid calls; a finished one is measured anew. Processes that run the same
plan at the same time share its cells out among them. A failed item is reported as a
failure: it is neither scored as 0 nor left out of the count.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import Any, Generic
from uuid import uuid4

from core.concurrency import SingleFlight, in_thread
from core.dataset import I, item_digest
from core.errors import EduModError, SetupError
from core.llm.base import LLM
from core.llm.metered import Metered
from core.settings import ModelPrice
from core.store.claims import Cell, CellClaims
from core.store.evaluations import Evaluations
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, ResultRow, ResultState
from core.types import Usage, Value
from eval.actors.base import Actor
from eval.plan import Plan
from eval.report import Report
from eval.scoring import ScoredRun, scored

log = logging.getLogger("edumod")

Progress = Callable[[int, int], None]
"""Called with the numbers of finished and of all outputs."""
OTHERS_SECONDS = 1.0
"""How often a run looks for what other processes measure."""


@dataclass(frozen=True)
class RunLimits:
    """`concurrency` outputs at once; none is started once `max_cost_usd` is spent."""

    concurrency: int = 1
    max_cost_usd: float | None = None


@dataclass(frozen=True)
class Runner:
    evaluations: Evaluations
    llm: LLM
    prices: Mapping[str, ModelPrice]

    async def run(
        self, plan: Plan[I], limits: RunLimits | None = None, progress: Progress = lambda _done, _all: None
    ) -> ScoredRun[I]:
        """Measure what is missing and score it.

        Raises `SetupError` if a cost cap is set and the price of a model is not known.
        """
        items = [
            ItemRow(evaluation_id="", item=item.id, digest=item_digest(item), text=item.text)
            for item in plan.dataset.items
        ]
        evaluation = await self.evaluations.open(_row(plan), items)
        stored = await self.evaluations.results(evaluation.id)
        claims = self.evaluations.claims(evaluation.id)
        work = _Work(self, plan, limits or RunLimits(), evaluation.id, claims, stored, progress)
        try:
            await work.done()
        finally:
            await asyncio.shield(claims.release())
        await in_thread(scored, plan, list(work.rows.values()))
        return ScoredRun(plan, evaluation, tuple(work.rows.values()), capped=work.capped)

    async def finish_if_complete(self, outcome: ScoredRun[I], report: Report[Any]) -> None:
        """Close the evaluation unless something is missing, which the next run then adds."""
        if report.complete:
            await self.finish(outcome, report)

    async def finish(self, outcome: ScoredRun[I], report: Value) -> None:
        """Store report and scores, and close the evaluation: the next run of the same plan starts anew."""
        state = EvaluationState.CAPPED if outcome.capped else EvaluationState.DONE
        summary = report.model_dump(mode="json")
        await self.evaluations.finish(outcome.evaluation.id, state, summary, outcome.rows)


def _row(plan: Plan[I]) -> EvaluationRow:
    return EvaluationRow(
        id=uuid4().hex,
        course_id=plan.course_id,
        kind=plan.kind,
        key=plan.key,
        state=EvaluationState.RUNNING,
        config=plan.config,
    )


class _Work(Generic[I]):
    """One run: its rows so far, and the workers that add to them."""

    def __init__(
        self,
        runner: Runner,
        plan: Plan[I],
        limits: RunLimits,
        evaluation_id: str,
        claims: CellClaims,
        stored: Sequence[ResultRow],
        progress: Progress,
    ) -> None:
        self._runner = runner
        self._limits = limits
        self._evaluation_id = evaluation_id
        self._claims = claims
        self._total = plan.size
        self._progress = progress
        self._spent = sum(float(row.usage.get("cost_usd") or 0.0) for row in stored)
        # Failed rows are tried again.
        self.rows = {_cell(row): row for row in stored if row.state == ResultState.SCORED}
        self.capped = False
        self._todo = [cell for cell in plan.cells() if _name(*cell) not in self.rows]
        self._left = iter(self._todo)
        self._claimed: deque[tuple[Actor[I], I, int]] = deque()
        self._claiming: SingleFlight[bool] = SingleFlight()
        self._unsaved: dict[Cell, ResultRow] = {}

    async def done(self) -> None:
        self._progress(len(self.rows), self._total)
        try:
            while self._todo:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self._limits.concurrency):
                        group.create_task(self._worker())
                if not await self._await_others():
                    break
        except ExceptionGroup as group_of_errors:
            raise group_of_errors.exceptions[0] from None
        finally:
            await asyncio.shield(self._save(list(self._unsaved.values())))

    async def _worker(self) -> None:
        while True:
            if self._is_spent():
                self.capped = self.capped or await self._has_more()
                return
            if not await self._has_more():
                return
            actor, item, seed = self._claimed.popleft()
            row = await self._measured(actor, item, seed)
            self.rows[_cell(row)] = row
            self._unsaved[_cell(row)] = row
            await self._save([row])
            self._progress(len(self.rows), self._total)
            self._spend(Usage.model_validate(row.usage))

    async def _has_more(self) -> bool:
        """Claim the next cells where none is left; as many at once as there are workers, in one transaction."""
        while not self._claimed:
            if not await self._claiming.do("cells", self._claim_next):
                return False
        return True

    async def _claim_next(self) -> bool:
        """False if no cell is left. Those that others are about to measure are left to them."""
        batch = {_name(*cell): cell for cell in islice(self._left, self._limits.concurrency)}
        if batch:
            self._claimed += [batch[name] for name in await self._claims.claim(list(batch))]
        return bool(batch)

    async def _await_others(self) -> bool:
        """Take what other processes have measured; whether something is left, for which one of them may have died."""
        self._todo = [cell for cell in self._todo if _name(*cell) not in self.rows]
        if not self._todo or self.capped:
            return False
        for row in await self._claims.results([_name(*cell) for cell in self._todo]):
            self.rows[_cell(row)] = row
        self._todo = [cell for cell in self._todo if _name(*cell) not in self.rows]
        self._left = iter(self._todo)
        self._progress(len(self.rows), self._total)
        if self._todo:
            await asyncio.sleep(OTHERS_SECONDS)
        return bool(self._todo)

    async def _measured(self, actor: Actor[I], item: I, seed: int) -> ResultRow:
        meter = Metered(self._runner.llm, self._runner.prices)
        row = ResultRow(
            evaluation_id=self._evaluation_id, actor=actor.name, item=item.id, seed=seed, state=ResultState.SCORED
        )
        started = perf_counter()
        try:
            row.output = await actor.act(item, seed, meter)
        except EduModError as error:
            row.state, row.error = ResultState.FAILED, {"code": error.code, "detail": str(error)}
        except Exception as error:
            log.exception("%s failed on %s", actor.name, item.id)
            row.state = ResultState.FAILED
            row.error = {"code": "internal", "detail": f"{type(error).__name__}: {error}"}
        if meter.unrecorded:
            # Also where the pipeline went on without the reply: what it made then is not what the model would have.
            prompts = Counter(error.prompt for error in meter.unrecorded)
            row.state, row.output = ResultState.FAILED, None
            row.error = {"code": meter.unrecorded[0].code, "detail": str(meter.unrecorded[0]), "prompts": dict(prompts)}
        is_live = actor.timed and not meter.total.replayed_calls
        row.ms = 1000 * (perf_counter() - started) if is_live else None
        row.usage = meter.total.model_dump(mode="json")
        return row

    def _spend(self, usage: Usage) -> None:
        if usage.cost_usd is None and self._limits.max_cost_usd is not None:
            raise SetupError(
                "A cost cap is set, but the price of a model that was asked is not known. Set its `prices` in the "
                "models file, or EDUMOD_LLM_PRICES, or remove the cap."
            )
        self._spent += usage.cost_usd or 0.0

    def _is_spent(self) -> bool:
        cap = self._limits.max_cost_usd
        return cap is not None and self._spent >= cap

    async def _save(self, rows: Sequence[ResultRow]) -> None:
        """Store finished rows. Until that has succeeded they wait for the last write of the run."""
        await self._runner.evaluations.save(rows)
        for row in rows:
            self._unsaved.pop(_cell(row), None)


def _name(actor: Actor[Any], item: Any, seed: int) -> Cell:
    return (actor.name, item.id, seed)


def _cell(row: ResultRow) -> Cell:
    return (row.actor, row.item, row.seed)
