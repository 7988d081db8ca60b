"""Which processes are running, so that work whose process died can be told from work that takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from socket import gethostname
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
LATE_AFTER = timedelta(seconds=2 * BEAT_SECONDS)
"""A process that could not show for so long that it is alive was held up, and others may have been too."""


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

        False where it is late: what held it up may have held up others too, which are alive all the same.
        """
        moment = self._clock(connection)
        seen = connection.execute(select(_processes.c.seen_at).where(_processes.c.id == self.id)).scalar()
        row = insert(connection.dialect.name, _processes).values(
            id=self.id, host=_host(), pid=os.getpid(), started_at=moment, seen_at=moment
        )
        connection.execute(row.on_conflict_do_update(index_elements=["id"], set_={"seen_at": row.excluded.seen_at}))
        self.is_registered = True
        return seen is None or moment - seen < LATE_AFTER

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

    async def forget_crashed(self) -> None:
        """Remove the rows of processes of this machine that run no more. Raises `StorageUnavailable`.

        So what they worked on need not wait until they have not been seen for long.
        """
        query = select(_processes.c.id, _processes.c.pid).where(_processes.c.host == _host())
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).all()
        if crashed := [row.id for row in rows if not _is_running(row.pid)]:
            async with self._database.write() as connection:
                await connection.execute(_processes.delete().where(_processes.c.id.in_(crashed)))

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


def _host() -> str:
    """Of two containers that share a name, each has its own process ids."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{gethostname()} {namespace}".strip()


def _is_running(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # There is no such question to ask: the process is dead when it was not seen for long.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # It belongs to another user.
        return True
    return True


def _database_time(connection: Connection) -> datetime:
    moment: datetime = connection.execute(select(func.now())).scalar_one()
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
