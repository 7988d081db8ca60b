"""Which processes are running, to distinguish work whose process died from work that takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from socket import gethostname
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, func, inspect, select

from core.store.engine.database import Database
from core.store.engine.topic import Topic
from core.store.engine.upsert import upsert
from core.store.tables import ProcessRow, table_of

_processes = table_of(ProcessRow)

BEAT_SECONDS = 5.0
"""How often a process shows that it is alive."""
DEAD_AFTER = timedelta(seconds=20)
"""A process whose last beat is older than this has died."""
LATE_AFTER = timedelta(seconds=2 * BEAT_SECONDS)
"""A process whose own last beat is older than this was delayed, and others may have been too."""


class Processes(Topic):
    """This process's own row, and whether other processes are alive.

    All times are from the database's clock, so that the clocks of machines need not agree.
    """

    def __init__(self, database: Database, clock: Callable[[Connection], datetime] | None = None) -> None:
        """`clock` replaces the database's clock in tests."""
        self.id = uuid4().hex
        self.is_registered = False
        """True if the row may exist: it is then updated regularly, and deleted at the end."""
        self.living = 1
        """How many processes were alive at this one's last beat, itself included."""
        self.runs: set[str] = set()
        """What of this process shares work with others, see `core.store.claims`."""
        super().__init__(database)
        self._clock = clock or _database_time

    def register(self, connection: Connection) -> bool:
        """Record that this process is alive. False if it was late: others may have been delayed as well."""
        moment = self._clock(connection)
        seen = connection.execute(select(_processes.c.seen_at).where(_processes.c.id == self.id)).scalar()
        row = ProcessRow(id=self.id, host=_host(), pid=os.getpid(), started_at=moment, seen_at=moment)
        connection.execute(upsert(connection.dialect, _processes, row.model_dump(), {"seen_at": moment}))
        self.is_registered = True
        self.living = max(1, _count_since(connection, moment - DEAD_AFTER))
        return seen is None or moment - seen < LATE_AFTER

    def ensure_registered(self, connection: Connection) -> None:
        """`register`, if the row does not exist: an earlier transaction that inserted it may have been rolled back."""
        if connection.execute(select(_processes.c.id).where(_processes.c.id == self.id)).first() is None:
            self.register(connection)

    async def beat(self) -> bool:
        """`register` in a transaction of its own. Raises `StorageUnavailable`."""
        return await self._transact(self.register)

    async def end(self) -> None:
        """Deletes this process's row, so that others can take over its work at once. Raises `StorageUnavailable`."""
        if self.is_registered:
            await self._change(_processes.delete().where(_processes.c.id == self.id))
            self.is_registered = False

    def is_without_owner(self, connection: Connection, owner: ColumnElement[Any]) -> ColumnElement[bool]:
        """The condition that the column names no living process."""
        living = select(_processes.c.id).where(_processes.c.seen_at > self._clock(connection) - DEAD_AFTER)
        return (owner != self.id) & owner.not_in(living) | owner.is_(None)

    async def forget_crashed(self) -> None:
        """Remove the rows of this machine's ended processes, so that their work is taken over before `DEAD_AFTER`.

        Raises `StorageUnavailable`.
        """
        query = select(_processes.c.id, _processes.c.pid).where(_processes.c.host == _host())
        if crashed := [row.id for row in await self._rows(query) if not is_running(row.pid)]:
            await self._change(_processes.delete().where(_processes.c.id.in_(crashed)))

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


def count_living(connection: Connection) -> int:
    """The number of processes that use the database; none in one of a schema before there were rows of them."""
    if not inspect(connection).has_table(_processes.name):
        return 0
    return _count_since(connection, _database_time(connection) - DEAD_AFTER)


def _count_since(connection: Connection, moment: datetime) -> int:
    living = _processes.c.seen_at > moment
    return int(connection.execute(select(func.count()).select_from(_processes).where(living)).scalar_one())


@cache
def _host() -> str:
    """Where process ids are unique: host name, which containers may share, process namespace and boot."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return gethostname()
    return f"{gethostname()} {namespace} {start}"


def is_running(pid: int) -> bool:
    """True if this machine has a process of that id."""
    if sys.platform == "win32":
        return True  # This cannot be asked on Windows: the process counts as dead after `DEAD_AFTER`.
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
