"""What keys and courses have used, counted where they have limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, func, select

from core.quotas import Charge, Counted, period_of
from core.store.engine.database import Database
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.processes import Processes
from core.store.tables import ReservationRow, UsageRow, now, table_of

_usage = table_of(UsageRow)
_reserved = table_of(ReservationRow)

RESERVED_FOR = timedelta(hours=1)
"""After which a reservation is void that could not be released. That of a process which has died is void at once."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Uses that were counted, and the id of what is reserved for them; None where nothing is."""

    charges: Sequence[Charge] = ()
    reservation: str | None = None


class UsageCounts(Topic):
    def __init__(self, database: Database, processes: Processes) -> None:
        super().__init__(database)
        self._processes = processes

    async def take(self, charges: Iterable[Charge]) -> Taken:
        """Count all uses or none, and reserve the dollars that they may cost. Raises `QuotaExceeded`."""
        # In one order, so that two transactions do not wait for each other.
        ordered = sorted(charges, key=lambda charge: (charge.subject.id, charge.counted))
        if not ordered:
            return Taken()
        is_reserved = any(charge.counted is Counted.DOLLARS and charge.amount for charge in ordered)
        taken = Taken(ordered, uuid4().hex if is_reserved else None)
        await self._transact(self._take_all, taken)
        return taken

    async def release(self, taken: Taken) -> None:
        """End the reservation; what was spent is counted by `spend`, before."""
        if taken.reservation is not None:
            await self._change(_reserved.delete().where(_reserved.c.id == taken.reservation))

    async def give_back(self, taken: Taken) -> None:
        """Undo the counting of `take`, for what was not used after all."""
        counted = [charge for charge in taken.charges if charge.counted is not Counted.DOLLARS]
        if not counted:
            return
        async with self._database.write() as connection:
            for charge in counted:
                column = _usage.c[charge.counted.value]
                mine = (_usage.c.subject == charge.subject.id, _usage.c.period == charge.period)
                changed = {column.name: column - charge.amount}
                await connection.execute(_usage.update().where(*mine, column > 0).values(changed))

    async def spend(self, subjects: Iterable[str], dollars: float) -> None:
        """Add what models have cost."""
        period = period_of(Counted.DOLLARS, datetime.now(UTC))
        async with self._database.write() as connection:
            for subject in sorted(subjects):
                row = _row(subject, period, dollars=dollars)
                changed = {"dollars": _usage.c.dollars + dollars}
                await connection.execute(upsert(connection.dialect, _usage, row, changed))

    async def of(self, subject: str) -> dict[Counted, float]:
        """What was used in the current day or month of each, for people."""
        moment = datetime.now(UTC)
        query = select(_usage).where(_usage.c.subject == subject)
        rows = {row.period: row for row in await self._rows(query)}
        return {counted: getattr(rows.get(period_of(counted, moment)), counted.value, 0) for counted in Counted}

    def _take_all(self, connection: Connection, taken: Taken) -> None:
        for charge in taken.charges:
            if charge.counted is Counted.DOLLARS:
                self._reserve(connection, charge, taken.reservation)
            elif not _count(connection, charge):
                raise charge.quota_error()

    def _reserve(self, connection: Connection, charge: Charge, reservation: str | None) -> None:
        """Raises `QuotaExceeded` if the dollars are spent, or might be by what is under way.

        A single question may cost more than is left: nobody knows before, and otherwise the rest could not be used.
        """
        subject, spent = charge.subject.id, _spent(connection, charge)
        if spent >= charge.limit:
            raise charge.quota_error()
        if reservation is None:
            return
        is_void = self._processes.is_without_owner(connection, _reserved.c.owner) | (_reserved.c.expires_at <= now())
        connection.execute(_reserved.delete().where(_reserved.c.subject == subject, is_void))
        total = select(func.sum(_reserved.c.dollars)).where(_reserved.c.subject == subject)
        under_way = connection.execute(total).scalar()
        if under_way is not None and spent + under_way + charge.amount > charge.limit:
            raise charge.reservation_error()
        self._processes.ensure_registered(connection)
        row = ReservationRow(
            id=reservation,
            subject=subject,
            dollars=charge.amount,
            owner=self._processes.id,
            expires_at=now() + RESERVED_FOR,
        )
        connection.execute(_reserved.insert(), row.model_dump())


def _count(connection: Connection, charge: Charge) -> bool:
    """Count the use in a transaction; false if that would be over the limit."""
    column = _usage.c[charge.counted.value]
    if charge.amount > charge.limit:
        return False
    row = _row(charge.subject.id, charge.period, **{column.name: charge.amount})
    has_room = column + charge.amount <= charge.limit
    counted = upsert(connection.dialect, _usage, row, {column.name: column + charge.amount}, has_room)
    # Not the number of rows, which is -1 for every insert on PostgreSQL.
    return connection.execute(counted.returning(_usage.c.subject)).first() is not None


def _spent(connection: Connection, charge: Charge) -> float:
    """The dollars of this month. Locks their row, so that no other transaction reserves at the same time."""
    row = _row(charge.subject.id, charge.period)
    locked = upsert(connection.dialect, _usage, row, {"dollars": _usage.c.dollars})
    return float(connection.execute(locked.returning(_usage.c.dollars)).scalar_one())


def _row(subject: str, period: str, **used: float) -> dict[str, Any]:
    return {"subject": subject, "period": period, "requests": 0, "questions": 0, "dollars": 0.0, **used}
