"""Evaluations, their results, and courses' labels."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from core.access import EVERYTHING, Reach
from core.errors import InvalidInput, NotFound
from core.store.engine.database import Database
from core.store.engine.group_commit import GroupCommit
from core.store.engine.order import by_code_point
from core.store.engine.postgresql import lock
from core.store.engine.upsert import insert
from core.store.people.reach import within
from core.store.tables import EvaluationRow, EvaluationState, ItemRow, LabelRow, ResultRow, now

_evaluations = EvaluationRow.__table__  # type: ignore[attr-defined]
_results = ResultRow.__table__  # type: ignore[attr-defined]
_items = ItemRow.__table__  # type: ignore[attr-defined]
_labels = LabelRow.__table__  # type: ignore[attr-defined]
MAX_NAMED = 10
"""Maximum number of evaluations that a message names."""


@cache
def _replacing(dialect: str) -> sqlite.Insert | postgresql.Insert:
    """The statement that stores results in place of earlier ones of the same actor, item and seed."""
    new = insert(dialect, _results)
    changed = {column.name: new.excluded[column.name] for column in _results.c if not column.primary_key}
    return new.on_conflict_do_update(index_elements=_results.primary_key, set_=changed)


def _save(connection: Connection, rows: Sequence[ResultRow]) -> None:
    connection.execute(_replacing(connection.dialect.name), [row.model_dump() for row in rows])


class Evaluations:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._saved: GroupCommit[ResultRow] = GroupCommit(database, _save)

    async def open(self, row: EvaluationRow, items: Sequence[ItemRow]) -> EvaluationRow:
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
        async with self._database.write() as connection:
            await connection.run_sync(lock, f"evaluation {row.course_id} {row.kind} {row.key}")
            found = (await connection.execute(unfinished)).one_or_none()
            if found is not None:
                return EvaluationRow(**found._mapping)
            await connection.execute(_evaluations.insert(), row.model_dump())
            if items:
                await connection.execute(
                    _items.insert(), [{**one.model_dump(), "evaluation_id": row.id} for one in items]
                )
        return row

    async def find(self, prefix: str, reach: Reach = EVERYTHING) -> EvaluationRow:
        """The evaluation within reach whose id starts with `prefix`; those without a course need a reach of all.

        Raises `NotFound`, or `InvalidInput` if there are several.
        """
        named = _evaluations.c.id.startswith(prefix, autoescape=True)
        query = select(_evaluations).where(named, *within(reach, _evaluations))
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(_evaluations.c.created_at).limit(MAX_NAMED))).all()
        if not rows:
            raise NotFound(f"There is no evaluation {prefix!r}. `edumod eval list` shows their ids.")
        if len(rows) > 1:
            raise InvalidInput(
                f"Several evaluations have an id that starts with {prefix!r}: {', '.join(row.id for row in rows)}. "
                "Give more characters of it."
            )
        return EvaluationRow(**rows[0]._mapping)

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
        async with self._database.read() as connection:
            return [EvaluationRow(**row._mapping) for row in (await connection.execute(query)).all()]

    async def items(self, evaluation_id: str) -> dict[str, ItemRow]:
        """The evaluation's items by id; empty if it was stored by a version that did not store them."""
        query = select(_items).where(_items.c.evaluation_id == evaluation_id).order_by(by_code_point(_items.c.item))
        async with self._database.read() as connection:
            return {row.item: ItemRow(**row._mapping) for row in (await connection.execute(query)).all()}

    async def results(self, evaluation_id: str) -> list[ResultRow]:
        query = select(_results).where(_results.c.evaluation_id == evaluation_id)
        query = query.order_by(by_code_point(_results.c.actor), by_code_point(_results.c.item), _results.c.seed)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        return [ResultRow(**row._mapping) for row in rows]

    async def save(self, results: Sequence[ResultRow]) -> None:
        """Store results; each replaces an earlier one of the same actor, item and seed.

        Those of concurrent calls share transactions. They are stored even if the caller is cancelled meanwhile.
        """
        await asyncio.gather(*(self._saved.write(row, is_urgent=True) for row in results))

    async def finish(
        self, evaluation_id: str, state: EvaluationState, summary: dict[str, Any], results: Sequence[ResultRow] = ()
    ) -> None:
        """Close the evaluation with its report, and store the scores of its results."""
        scored = _results.update().where(
            _results.c.evaluation_id == evaluation_id,
            _results.c.actor == bindparam("of_actor"),
            _results.c.item == bindparam("of_item"),
            _results.c.seed == bindparam("of_seed"),
        )
        async with self._database.write() as connection:
            if results:
                await connection.execute(
                    scored.values(scores=bindparam("scores")),
                    [
                        {"of_actor": row.actor, "of_item": row.item, "of_seed": row.seed, "scores": row.scores}
                        for row in results
                    ],
                )
            await connection.execute(
                _evaluations.update()
                .where(_evaluations.c.id == evaluation_id)
                .values(state=state, finished_at=now(), summary=summary)
            )

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
        async with self._database.read() as connection:
            return [EvaluationRow(**row._mapping) for row in (await connection.execute(query)).all()]

    async def put_labels(self, course_id: str, kind: str, items: Mapping[str, dict[str, Any]]) -> None:
        """Replace the course's labelled items of that kind."""
        async with self._database.write() as connection:
            await connection.run_sync(lock, f"labels {course_id} {kind}")
            await connection.execute(delete(_labels).where(_labels.c.course_id == course_id, _labels.c.kind == kind))
            rows = [
                LabelRow(course_id=course_id, kind=kind, item=item, content=content).model_dump()
                for item, content in items.items()
            ]
            if rows:
                await connection.execute(_labels.insert(), rows)

    async def labels(self, course_id: str, kind: str) -> dict[str, dict[str, Any]]:
        """The course's labelled items of that kind by id, in the order of their ids."""
        query = select(_labels).where(_labels.c.course_id == course_id, _labels.c.kind == kind)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(by_code_point(_labels.c.item)))).all()
        return {row.item: row.content for row in rows}
