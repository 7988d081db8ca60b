"""Cells of an evaluation, shared out among processes that measure the same plan."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, and_, delete, or_, select, update

from core.errors import StorageUnavailable
from core.store.engine.database import Database
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import insert
from core.store.processes import Processes
from core.store.tables import CellClaimRow, ResultRow, ResultState, table_of

_claims = table_of(CellClaimRow)
_results = table_of(ResultRow)

Cell = tuple[str, str, int]
"""Names of actor and item, and the seed."""


class CellClaims(Topic):
    """The claims of one run. A cell belongs to one living process at a time, so that none is paid for twice."""

    def __init__(self, database: Database, processes: Processes, evaluation_id: str) -> None:
        super().__init__(database)
        self._processes = processes
        self._evaluation_id = evaluation_id
        self._run = uuid4().hex
        processes.runs.add(self._run)

    @transaction
    def claim(self, connection: Connection, cells: Sequence[Cell]) -> list[Cell]:
        """Those of the cells that this run shall measure: nobody has, and no other living run is about to."""
        self._processes.ensure_registered(connection)
        return [cell for cell in cells if self._take(connection, cell) and not self._is_scored(connection, cell)]

    def _take(self, connection: Connection, cell: Cell) -> bool:
        actor, item, seed = cell
        mine = {"run": self._run, "owner": self._processes.id}
        row = {"evaluation_id": self._evaluation_id, "actor": actor, "item": item, "seed": seed, **mine}
        new = insert(connection.dialect, _claims).values(row).on_conflict_do_nothing().returning(_claims.c.seed)
        if connection.execute(new).first() is not None:
            return True
        ended = and_(_claims.c.owner == self._processes.id, _claims.c.run.not_in(self._processes.runs - {self._run}))
        is_free = or_(ended, self._processes.is_without_owner(connection, _claims.c.owner))
        return bool(connection.execute(update(_claims).where(self._of(cell), is_free).values(mine)).rowcount)

    async def results(self, cells: Sequence[Cell]) -> list[ResultRow]:
        """The scored results among these cells."""
        wanted = set(cells)
        query = select(_results).where(_results.c.evaluation_id == self._evaluation_id)
        rows = await self._all(ResultRow, query.where(_results.c.state == ResultState.SCORED))
        return [row for row in rows if (row.actor, row.item, row.seed) in wanted]

    async def release(self) -> None:
        """Give up the claims of this run: what it did not measure is left to others."""
        self._processes.runs.discard(self._run)
        with suppress(StorageUnavailable):  # Then they are void when this process ends.
            await self._change(delete(_claims).where(_claims.c.run == self._run))

    def _of(self, cell: Cell) -> ColumnElement[bool]:
        actor, item, seed = cell
        of_evaluation = _claims.c.evaluation_id == self._evaluation_id
        return and_(of_evaluation, _claims.c.actor == actor, _claims.c.item == item, _claims.c.seed == seed)

    def _is_scored(self, connection: Connection, cell: Cell) -> bool:
        actor, item, seed = cell
        query = select(_results.c.seed).where(
            _results.c.evaluation_id == self._evaluation_id,
            _results.c.actor == actor,
            _results.c.item == item,
            _results.c.seed == seed,
            _results.c.state == ResultState.SCORED,
        )
        return connection.execute(query).first() is not None
