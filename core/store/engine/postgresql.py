"""What is PostgreSQL's own: connections, time limits, named locks, and messages about changed courses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from core.store.engine.urls import display_url

if TYPE_CHECKING:
    import psycopg

log = logging.getLogger("edumod")

CONNECT_SECONDS = 5
POOL_SIZE = 8
"""Connections of one process for reading and writing; two more are for answers and for messages."""
KEEPALIVE = {"keepalives_idle": 15, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
"""How soon a connection through a network that is down counts as lost. Without it, that takes two hours."""
IDLE_SECONDS = 60
"""After so long without a statement, the server ends a transaction, whose locks others may wait for."""
MIGRATION_SECONDS = 600
"""How long one process waits for another that migrates the database."""
RECONNECT_SECONDS = 1.0
CHANNEL = "edumod_course"


@dataclass(frozen=True)
class PostgreSQL:
    """Opens a PostgreSQL database, through psycopg 3.

    A write waits for `busy_seconds` for rows that another transaction has locked, and a statement may take
    `statement_seconds`. With `direct`, `url` leads to a pooler that gives each transaction another connection, such as
    PgBouncer: then statements are not prepared, limits of time are those of the database's role, and what needs a
    connection of its own (messages, jobs, settings for vectors) goes to `direct`.
    """

    has_one_writer: ClassVar[bool] = False

    url: URL
    busy_seconds: float
    statement_seconds: float
    direct: URL | None = None

    def open(self) -> AsyncEngine:
        return create_async_engine(self._engine_url(), pool_size=POOL_SIZE, **self._options())

    def open_blocking(self) -> Engine:
        """An engine for one thread."""
        return create_engine(self._engine_url(), pool_size=1, **self._options())

    def open_searching(self, connections: int, settings: Mapping[str, object]) -> Engine:
        """An engine for threads that read, a statement at a time, with settings of the server for them."""
        options = "".join(f" -c {name}={value}" for name, value in settings.items())
        url = self._with_limits(self.direct or self.url)
        url = url.update_query_dict({"options": f"{url.query['options']}{options}"})
        return create_engine(url, pool_size=connections, isolation_level="AUTOCOMMIT", **self._options())

    def _options(self) -> dict[str, Any]:
        unprepared = {"prepare_threshold": None} if self.direct else {}
        arguments = {**_defaults(self.url), **unprepared}
        return {"max_overflow": 0, "pool_pre_ping": True, "hide_parameters": True, "connect_args": arguments}

    async def purge(self) -> None:
        """Nothing: the server overwrites deleted rows when it uses their pages again (autovacuum)."""

    async def follow(self, changed: Callable[[], None]) -> None:
        """Call `changed` whenever a course has changed, and after each (re)connection, for ever.

        A connection that is lost is logged once and made anew.
        """
        import psycopg

        is_lost = False
        while True:
            try:
                async with await self._listen() as connection:
                    is_lost = False
                    changed()
                    async for _ in connection.notifies():
                        changed()
            except psycopg.Error as error:
                if not is_lost:
                    log.warning("%s sends no messages about changed courses for now: %s", display_url(self.url), error)
                is_lost = True
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> psycopg.AsyncConnection[Any]:
        """A connection of its own that gets the messages of `announce`."""
        import psycopg

        connection = await psycopg.AsyncConnection.connect(autocommit=True, **self.connect_arguments())
        await connection.execute(f"LISTEN {CHANNEL}")
        return connection

    def connect_arguments(self, **settings: str) -> dict[str, Any]:
        """Arguments of `psycopg.connect`, with settings of the server for the connection."""
        url = self.direct or self.url
        _, parameters = url.get_dialect()().create_connect_args(url)
        options = [parameters.get("options", ""), *(f"-c {name}={value}" for name, value in settings.items())]
        return {**_defaults(url), **parameters, "options": " ".join(filter(None, options))}

    def _engine_url(self) -> URL:
        return self.url if self.direct else self._with_limits(self.url)

    def _with_limits(self, url: URL) -> URL:
        """The URL with limits as options of its connections, to which its own are added, since the later count."""
        limits = {
            "lock_timeout": self.busy_seconds,
            "statement_timeout": self.statement_seconds,
            "idle_in_transaction_session_timeout": IDLE_SECONDS,
        }
        options = [f"-c {name}={round(1000 * seconds)}" for name, seconds in limits.items()]
        own = url.query.get("options", ())
        return url.update_query_dict({"options": " ".join([*options, *([own] if isinstance(own, str) else own)])})


def _defaults(url: URL) -> dict[str, Any]:
    """Parameters of a connection that the URL does not set itself."""
    defaults = {"connect_timeout": CONNECT_SECONDS, "application_name": "edumod", **KEEPALIVE}
    return {name: value for name, value in defaults.items() if name not in url.query}


def lock(connection: Connection, name: str) -> None:
    """Wait for other transactions with the lock of that name, and keep it to the end of this one.

    On SQLite nothing is to be done: there a transaction that writes is alone.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"edumod {name}"})


def take_time(connection: Connection) -> None:
    """Lift the time limits of statements in this transaction, which migrates or copies a database."""
    if connection.dialect.name == "postgresql":
        for name, seconds in (
            ("statement_timeout", 0),
            ("idle_in_transaction_session_timeout", 0),
            ("lock_timeout", MIGRATION_SECONDS),
        ):
            connection.execute(text(f"SET LOCAL {name} = '{seconds}s'"))


def announce(connection: Connection, course_id: str) -> None:
    """Tell other processes, when this transaction is committed, that the course has changed.

    On SQLite nothing is to be done: its processes look themselves, once a second.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_notify(:channel, :course)"), {"channel": CHANNEL, "course": course_id})
