"""Evaluations, their results, and the labels they are measured against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, select

from core.store.database import Database
from core.store.tables import EvaluationRow, EvaluationState, LabelRow, ResultRow, now

_evaluations = EvaluationRow.__table__  # type: ignore[attr-defined]
_results = ResultRow.__table__  # type: ignore[attr-defined]
_labels = LabelRow.__table__  # type: ignore[attr-defined]


class Evaluations:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, course_id: str, kind: str, key: str, config: dict[str, Any]) -> EvaluationRow:
        """The evaluation with that key that was not finished, to go on with; else a new one."""
        unfinished = (
            select(_evaluations)
            .where(
                _evaluations.c.course_id == course_id,
                _evaluations.c.kind == kind,
                _evaluations.c.key == key,
                _evaluations.c.state != EvaluationState.DONE,
            )
            .order_by(_evaluations.c.created_at.desc())
            .limit(1)
        )
        async with self._database.write() as connection:
            found = (await connection.execute(unfinished)).one_or_none()
            if found is not None:
                return EvaluationRow(**found._mapping)
            row = EvaluationRow(
                id=uuid4().hex,
                course_id=course_id,
                kind=kind,
                key=key,
                state=EvaluationState.RUNNING,
                config=config,
            )
            await connection.execute(_evaluations.insert(), row.model_dump())
        return row

    async def results(self, evaluation_id: str) -> list[ResultRow]:
        query = select(_results).where(_results.c.evaluation_id == evaluation_id)
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(_results.c.actor, _results.c.item, _results.c.seed))).all()
        return [ResultRow(**row._mapping) for row in rows]

    async def save(self, results: Sequence[ResultRow]) -> None:
        """Store results in one transaction, each in place of an earlier one of the same actor, item and seed."""
        async with self._database.write() as connection:
            for row in results:
                await connection.execute(
                    delete(_results).where(
                        _results.c.evaluation_id == row.evaluation_id,
                        _results.c.actor == row.actor,
                        _results.c.item == row.item,
                        _results.c.seed == row.seed,
                    )
                )
            await connection.execute(_results.insert(), [row.model_dump() for row in results])

    async def finish(self, evaluation_id: str, state: EvaluationState, summary: dict[str, Any]) -> None:
        async with self._database.write() as connection:
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
        """Store the course's labelled items of that kind in place of those it had."""
        async with self._database.write() as connection:
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
            rows = (await connection.execute(query.order_by(_labels.c.item))).all()
        return {row.item: row.content for row in rows}
