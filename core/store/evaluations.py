"""Evaluations, their results, and courses' labels."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, bindparam, func, select

from core.access import EVERYTHING, Reach
from core.errors import InvalidInput, NotFound
from core.store.claims import CellClaims
from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit
from core.store.engine.order import by_code_point
from core.store.engine.postgresql import lock
from core.store.engine.topic import Topic, transaction
from core.store.engine.upsert import Insert, insert
from core.store.people.reach import within
from core.store.processes import Processes
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, LabelRow, ResultRow, now, table_of

_evaluations = table_of(EvaluationRow)
_results = table_of(ResultRow)
_items = table_of(ItemRow)
_labels = table_of(LabelRow)
MAX_NAMED = 10
"""Maximum number of evaluations that a message names."""


@cache
def _replacing(dialect: Dialect) -> Insert:
    """The statement that stores results in place of earlier ones of the same actor, item and seed."""
    new = insert(dialect, _results)
    changed = {column.name: new.excluded[column.name] for column in _results.c if not column.primary_key}
    return new.on_conflict_do_update(index_elements=_results.primary_key, set_=changed)


def _save(connection: Connection, rows: Sequence[ResultRow]) -> None:
    connection.execute(_replacing(connection.dialect), [row.model_dump() for row in rows])


class Evaluations(Topic):
    def __init__(self, database: Database, processes: Processes | None = None) -> None:
        super().__init__(database)
        self._processes = processes or Processes(database)
        self._saved: GroupCommit[ResultRow] = GroupCommit(database, _save)

    @transaction
    def open(self, connection: Connection, row: EvaluationRow, items: Sequence[ItemRow]) -> EvaluationRow:
        """The unfinished evaluation of the same course, kind and key, to continue it; otherwise stores this one."""
        unfinished = (
            select(_evaluations)
            .where(
                _evaluations.c.course_id.is_not_distinct_from(row.course_id),
                _evaluations.c.kind == row.kind,
                _evaluations.c.key == row.key,
                _evaluations.c.state != EvaluationState.DONE,
            )
            .order_by(_evaluations.c.created_at.desc())
            .limit(1)
        )
        lock(connection, f"evaluation {row.course_id} {row.kind} {row.key}")
        if (earlier := connection.execute(unfinished).one_or_none()) is not None:
            return EvaluationRow(**earlier._mapping)
        connection.execute(_evaluations.insert(), row.model_dump())
        if items:
            rows = [{**item.model_dump(), "evaluation_id": row.id} for item in items]
            connection.execute(_items.insert(), rows)
        return row

    def claims(self, evaluation_id: str) -> CellClaims:
        """The cells that a new run of this process has of the evaluation."""
        return CellClaims(self._database, self._processes, evaluation_id)

    async def find(self, prefix: str, reach: Reach = EVERYTHING) -> EvaluationRow:
        """The evaluation within reach whose id starts with `prefix`. Raises `NotFound`, `InvalidInput` for several."""
        named = _evaluations.c.id.startswith(prefix, autoescape=True)
        query = select(_evaluations).where(named, *within(reach, _evaluations))
        rows = await self._all(EvaluationRow, query.order_by(_evaluations.c.created_at).limit(MAX_NAMED))
        if not rows:
            raise NotFound(f"There is no evaluation {prefix!r}. `edumod eval list` shows their ids.")
        if len(rows) > 1:
            raise InvalidInput(
                f"Several evaluations have an id that starts with {prefix!r}: {', '.join(row.id for row in rows)}. "
                "Give more characters of it."
            )
        return rows[0]

    async def all(
        self, course_id: str | None = None, kind: str | None = None, reach: Reach = EVERYTHING, limit: int | None = None
    ) -> list[EvaluationRow]:
        """Evaluations within reach, newest first; filtered by course and kind unless they are None."""
        query = select(_evaluations).order_by(_evaluations.c.created_at.desc(), _evaluations.c.id)
        query = query.where(*within(reach, _evaluations)).limit(limit)
        if course_id is not None:
            query = query.where(_evaluations.c.course_id == course_id)
        if kind is not None:
            query = query.where(_evaluations.c.kind == kind)
        return await self._all(EvaluationRow, query)

    async def items(self, evaluation_id: str) -> dict[str, ItemRow]:
        """The evaluation's items by id; empty if it was stored by a version that did not store them."""
        query = select(_items).where(_items.c.evaluation_id == evaluation_id).order_by(by_code_point(_items.c.item))
        return {item.item: item for item in await self._all(ItemRow, query)}

    async def results(self, evaluation_id: str) -> list[ResultRow]:
        query = select(_results).where(_results.c.evaluation_id == evaluation_id)
        query = query.order_by(by_code_point(_results.c.actor), by_code_point(_results.c.item), _results.c.seed)
        return await self._all(ResultRow, query)

    async def progress(self, ids: Sequence[str]) -> dict[str, int]:
        """How many results each of these evaluations has; those without any are left out."""
        if not ids:
            return {}
        own = _results.c.evaluation_id
        query = select(own, func.count()).where(own.in_(ids)).group_by(own)
        return {row[0]: row[1] for row in await self._rows(query)}

    async def save(self, results: Sequence[ResultRow]) -> None:
        """Store results in place of earlier ones of the same actor, item and seed, even if the caller is cancelled."""
        await asyncio.gather(*(self._saved.write(row, is_urgent=True) for row in results))

    @transaction
    def finish(
        self,
        connection: Connection,
        evaluation_id: str,
        state: EvaluationState,
        summary: dict[str, Any],
        results: Sequence[ResultRow] = (),
    ) -> None:
        """Close the evaluation with its report, and store the scores of its results."""
        scored = _results.update().where(
            _results.c.evaluation_id == evaluation_id,
            _results.c.actor == bindparam("of_actor"),
            _results.c.item == bindparam("of_item"),
            _results.c.seed == bindparam("of_seed"),
        )
        rows = [
            {"of_actor": row.actor, "of_item": row.item, "of_seed": row.seed, "scores": row.scores} for row in results
        ]
        if rows:
            connection.execute(scored.values(scores=bindparam("scores")), rows)
        ended = {"state": state, "finished_at": now(), "summary": summary}
        connection.execute(_evaluations.update().where(_evaluations.c.id == evaluation_id).values(ended))

    async def history(self, course_id: str, kind: str) -> list[EvaluationRow]:
        """The course's finished evaluations of that kind, oldest first."""
        query = (
            select(_evaluations)
            .where(
                _evaluations.c.course_id == course_id,
                _evaluations.c.kind == kind,
                _evaluations.c.state == EvaluationState.DONE,
            )
            .order_by(_evaluations.c.finished_at, _evaluations.c.id)
        )
        return await self._all(EvaluationRow, query)

    @transaction
    def put_labels(
        self, connection: Connection, course_id: str, kind: str, items: Mapping[str, dict[str, Any]]
    ) -> None:
        """Replace the course's labelled items of that kind."""
        lock(connection, f"labels {course_id} {kind}")
        connection.execute(_labels.delete().where(_labels.c.course_id == course_id, _labels.c.kind == kind))
        rows = [
            LabelRow(course_id=course_id, kind=kind, item=item, content=content).model_dump()
            for item, content in items.items()
        ]
        if rows:
            connection.execute(_labels.insert(), rows)

    async def labels(self, course_id: str, kind: str) -> dict[str, dict[str, Any]]:
        """The course's labelled items of that kind by id, in the order of their ids."""
        query = select(_labels).where(_labels.c.course_id == course_id, _labels.c.kind == kind)
        return {row.item: row.content for row in await self._rows(query.order_by(by_code_point(_labels.c.item)))}
