"""Which processes are running, so that work whose process died can be told from work that takes long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, func, select

from core.store.database import Database
from core.store.tables import ProcessRow
from core.store.upsert import insert

_processes = ProcessRow.__table__  # type: ignore[attr-defined]

BEAT_SECONDS = 5.0
"""How often a process shows that it is alive."""
DEAD_AFTER = timedelta(seconds=20)
"""A process that was not seen for so long has died."""


class Processes:
    """This process's own row, and whether others are alive.

    Every moment is taken from the database's clock, so processes on machines whose clocks differ agree.
    """

    def __init__(self, database: Database, clock: Callable[[Connection], datetime] | None = None) -> None:
        """`clock` stands in for the database's own, as tests need."""
        self.id = uuid4().hex
        self.is_registered = False
        """True where the row may be there: it is kept up to date, and removed at the end."""
        self._database = database
        self._clock = clock or _database_time

    def register(self, connection: Connection) -> bool:
        """Write in a transaction that this process is alive.

        False where it had not been seen for so long that others may have taken it for dead: after a pause of the
        whole machine the others may be alive too, and only had no time yet to say so.
        """
        moment = self._clock(connection)
        seen = connection.execute(select(_processes.c.seen_at).where(_processes.c.id == self.id)).scalar()
        row = insert(connection.dialect.name, _processes).values(id=self.id, started_at=moment, seen_at=moment)
        connection.execute(row.on_conflict_do_update(index_elements=["id"], set_={"seen_at": row.excluded.seen_at}))
        self.is_registered = True
        return seen is None or moment - seen < DEAD_AFTER

    def ensure_registered(self, connection: Connection) -> None:
        """`register` in a transaction where the row is not there: whoever works on a draft has to be known as alive.

        Looked up each time, since an earlier transaction with the row in it may have been rolled back.
        """
        if connection.execute(select(_processes.c.id).where(_processes.c.id == self.id)).first() is None:
            self.register(connection)

    async def beat(self) -> bool:
        """`register` in a transaction of its own. Raises `StorageUnavailable`."""
        async with self._database.write() as connection:
            return await connection.run_sync(self.register)

    async def end(self) -> None:
        """This process stops: what it still has under way is left to others at once. Raises `StorageUnavailable`."""
        if self.is_registered:
            async with self._database.write() as connection:
                await connection.execute(_processes.delete().where(_processes.c.id == self.id))
            self.is_registered = False

    def is_without_owner(self, connection: Connection, owner: ColumnElement[Any]) -> ColumnElement[bool]:
        """The condition that no living process is named in that column."""
        living = select(_processes.c.id).where(_processes.c.seen_at > self._clock(connection) - DEAD_AFTER)
        return (owner != self.id) & owner.not_in(living) | owner.is_(None)

    async def forget_dead(self) -> None:
        """Remove the rows of dead processes. Raises `StorageUnavailable`."""
        async with self._database.read() as connection:
            dead = await connection.run_sync(self._dead)
        if dead:
            async with self._database.write() as connection:
                is_dead = _processes.c.seen_at <= await connection.run_sync(self._clock) - DEAD_AFTER
                await connection.execute(_processes.delete().where(_processes.c.id.in_(dead), is_dead))

    def _dead(self, connection: Connection) -> list[str]:
        moment = self._clock(connection) - DEAD_AFTER
        query = select(_processes.c.id).where(_processes.c.seen_at <= moment, _processes.c.id != self.id)
        return list(connection.execute(query).scalars())


def _database_time(connection: Connection) -> datetime:
    moment: datetime = connection.execute(select(func.now())).scalar_one()
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
