"""What keys and courses have used, counted where they have limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, select

from core.quotas import Charge, Counted, period_of
from core.store.engine.database import Database
from core.store.engine.upsert import insert
from core.store.tables import UsageRow

_usage = UsageRow.__table__  # type: ignore[attr-defined]


class UsageCounts:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, charges: Iterable[Charge]) -> None:
        """Count the uses, all of them or none. Raises `QuotaExceeded` for the first that is over its limit."""
        # In one order, so that two transactions do not wait for each other.
        if ordered := sorted(charges, key=lambda charge: (charge.subject.id, charge.counted)):
            async with self._database.write() as connection:
                await connection.run_sync(_take_all, ordered)

    async def give_back(self, charges: Sequence[Charge]) -> None:
        """Undo `take`, for what was not used after all."""
        if not charges:
            return
        async with self._database.write() as connection:
            for charge in charges:
                if charge.amount:
                    column = _usage.c[charge.counted.value]
                    mine = (_usage.c.subject == charge.subject.id, _usage.c.period == charge.period)
                    changed = {column.name: column - charge.amount}
                    await connection.execute(_usage.update().where(*mine, column > 0).values(changed))

    async def spend(self, subjects: Iterable[str], dollars: float) -> None:
        """Add what models have cost."""
        period = period_of(Counted.DOLLARS, datetime.now(UTC))
        async with self._database.write() as connection:
            for subject in sorted(subjects):
                row = insert(connection.dialect.name, _usage).values(_row(subject, period, dollars=dollars))
                changed = {"dollars": _usage.c.dollars + row.excluded.dollars}
                await connection.execute(row.on_conflict_do_update(index_elements=_KEY, set_=changed))

    async def used(self, subject: str) -> dict[Counted, float]:
        """What was used in the current day or month of each, for people."""
        moment = datetime.now(UTC)
        query = select(_usage).where(_usage.c.subject == subject)
        async with self._database.read() as connection:
            rows = {row.period: row for row in (await connection.execute(query)).all()}
        return {one: getattr(rows.get(period_of(one, moment)), one.value, 0) for one in Counted}


_KEY = ["subject", "period"]


def _take_all(connection: Connection, charges: Sequence[Charge]) -> None:
    for charge in charges:
        if not _take(connection, charge):
            raise charge.exceeded()


def _take(connection: Connection, charge: Charge) -> bool:
    """Count the use in a transaction; false if that would be over the limit."""
    column, period = _usage.c[charge.counted.value], charge.period
    if charge.amount == 0:
        mine = (_usage.c.subject == charge.subject.id, _usage.c.period == period)
        return float(connection.execute(select(column).where(*mine)).scalar() or 0) < charge.limit
    if charge.amount > charge.limit:
        return False
    row = insert(connection.dialect.name, _usage).values(
        _row(charge.subject.id, period, **{column.name: charge.amount})
    )
    has_room = column + charge.amount <= charge.limit
    changed = {column.name: column + charge.amount}
    counted = row.on_conflict_do_update(index_elements=_KEY, set_=changed, where=has_room)
    # Not the number of rows, which is -1 for every insert on PostgreSQL.
    return connection.execute(counted.returning(_usage.c.subject)).first() is not None


def _row(subject: str, period: str, **used: float) -> dict[str, Any]:
    return {"subject": subject, "period": period, "requests": 0, "questions": 0, "dollars": 0.0, **used}
