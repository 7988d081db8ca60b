"""Opens the database and brings its schema up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any, ClassVar, Protocol, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.errors import SetupError, StorageUnavailable
from core.store.engine.outages import BUSY, storage_errors
from core.store.engine.postgresql import PostgreSQL
from core.store.engine.schema import HEAD, Schema, SchemaState, revision, upgrade
from core.store.engine.sqlite import SQLite
from core.store.engine.urls import SUPPORTED, display_url, parse_url

E = TypeVar("E")

BUSY_SECONDS = 15.0
"""Default time that a write waits for another process that has locked a SQLite database, or rows of PostgreSQL."""
STATEMENT_SECONDS = 60.0
"""Default time limit of one statement of PostgreSQL."""


class Backend(Protocol):
    """A kind of database: how it is opened, and how its processes hear of each other's changes."""

    has_one_writer: ClassVar[bool]

    def open(self) -> AsyncEngine: ...

    def open_blocking(self) -> Engine | None: ...

    async def follow(self, changed: Callable[[], None]) -> None: ...

    async def purge(self) -> None: ...


class Database:
    """Transactions on one database, from one event loop. Raises `StorageUnavailable` if it cannot be used.

    SQLite makes waiting writers poll, so those of this process queue here instead.
    """

    def __init__(
        self,
        url: str,
        busy_seconds: float = BUSY_SECONDS,
        statement_seconds: float = STATEMENT_SECONDS,
        direct_url: str | None = None,
    ) -> None:
        """`direct_url` leads past a pooler to the same database, see `PostgreSQL`."""
        self.url = parse_url(url)
        direct = parse_url(direct_url) if direct_url else None
        self._backend = backend_of(self.url, busy_seconds, statement_seconds, direct)
        self.engine = open_engine(self._backend.open)
        self._writing = self.engine.execution_options(write=True)
        blocking = open_engine(self._backend.open_blocking)
        self._blocking = blocking and blocking.execution_options(write=True)
        self._searching: Engine | None = None
        # A separate thread, so that storing an answer need not queue behind long work in the default pool.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        self.revised = 0
        """Incremented when this process changes a course or its material, or hears that another one did."""
        self._lock: AbstractAsyncContextManager[object] = (
            asyncio.Lock() if self._backend.has_one_writer else nullcontext()
        )
        self._times_busy = 0
        self._following: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from: `async with database.read() as connection`."""
        with storage_errors():
            async with self.engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed at the end, or rolled back on an error."""
        async with self._write_permit():
            with storage_errors():
                async with self._writing.begin() as connection:
                    yield connection

    @asynccontextmanager
    async def _write_permit(self) -> AsyncIterator[None]:
        """Held by one task at a time. When one waited in vain, those behind it fail at once: waits would add up."""
        times_busy = self._times_busy
        async with self._lock:
            if self._times_busy != times_busy:
                raise StorageUnavailable(BUSY)
            try:
                yield
            except StorageUnavailable as error:
                self._times_busy += error.reason == BUSY
                raise

    async def commit(self, statements: Callable[[Connection], None], committed: Callable[[], object]) -> None:
        """Run `statements` in a transaction on a thread, then call `committed`.

        Through `write`, a busy event loop would keep rows locked between statements.
        """
        if self._blocking is None:
            async with self.write() as connection:
                await connection.run_sync(statements)
            committed()
        else:
            async with self._write_permit():
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._thread, _commit, self._blocking, statements, committed)

    def open_searching(self, connections: int, settings: Mapping[str, object]) -> Engine:
        """An engine for threads that compare vectors; PostgreSQL only. Disposed with the database."""
        if not isinstance(self._backend, PostgreSQL):
            raise SetupError("Vectors are compared in the database by PostgreSQL only.")
        self._searching = self._backend.open_searching(connections, settings)
        return self._searching

    def connect_arguments(self, **settings: str) -> dict[str, Any]:
        """Arguments of `psycopg.connect`; PostgreSQL only."""
        assert isinstance(self._backend, PostgreSQL)
        return self._backend.connect_arguments(**settings)

    async def migrate(self) -> Schema:
        """Create or upgrade the schema and return the one before. Raises `SetupError`."""
        try:
            async with self.read() as connection:
                if await connection.run_sync(revision) == HEAD:
                    return Schema(SchemaState.CURRENT, HEAD)
            async with self.write() as connection:
                return await connection.run_sync(upgrade, display_url(self.url))
        except (DBAPIError, StorageUnavailable) as error:
            raise cannot_be_opened(self.url, error) from error

    async def purge(self) -> None:
        """After a deletion for privacy: leave as little as possible of what was deleted in the database's files."""
        with storage_errors():
            await self._backend.purge()

    def follow(self) -> None:
        """Hear of other processes' changes at once, from now on, where the database sends messages."""
        self._following = asyncio.create_task(self._backend.follow(self._note_change))

    def _note_change(self) -> None:
        self.revised += 1

    async def aclose(self) -> None:
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        await self.engine.dispose()
        self._thread.shutdown()
        for engine in (self._blocking, self._searching):
            if engine is not None:
                engine.dispose()


def backend_of(
    url: URL,
    busy_seconds: float = BUSY_SECONDS,
    statement_seconds: float = STATEMENT_SECONDS,
    direct: URL | None = None,
) -> SQLite | PostgreSQL:
    """The kind of database that a URL names."""
    if url.get_backend_name() == "sqlite":
        return SQLite(url, busy_seconds)
    return PostgreSQL(url, busy_seconds, statement_seconds, direct)


@contextmanager
def transaction_on(url: URL, engine: Engine) -> Iterator[Connection]:
    """A transaction on an engine of its own, outside of any event loop. Raises `SetupError` where the database cannot
    be used."""
    try:
        with storage_errors(), engine.begin() as connection:
            yield connection
    except (DBAPIError, StorageUnavailable) as error:
        raise cannot_be_opened(url, error) from error
    finally:
        engine.dispose()


def cannot_be_opened(url: URL, error: DBAPIError | StorageUnavailable) -> SetupError:
    """The error with the first line of its cause, in the driver's words."""
    cause = error.orig if isinstance(error, DBAPIError) else error.__cause__
    words = str(getattr(cause, "orig", cause)).strip().partition("\n")[0]
    return SetupError(
        f"The database {display_url(url)} cannot be opened: {words.rstrip('.')}. "
        "Check EDUMOD_DATABASE_URL or EDUMOD_HOME, or restore it from a backup."
    )


def open_engine(opening: Callable[[], E]) -> E:
    """Call a method of `Backend`. Raises `SetupError` for a missing driver, or a URL that it does not know."""
    try:
        return opening()
    except ImportError as error:
        raise SetupError(
            f"PostgreSQL needs psycopg 3, which cannot be used: {error}. Install it: pip install 'edumod[postgresql]'"
        ) from error
    except (ArgumentError, InvalidRequestError) as error:
        raise SetupError(f"EDUMOD_DATABASE_URL cannot be used: {error}. It looks like {SUPPORTED}.") from error


def _commit(engine: Engine, statements: Callable[[Connection], None], committed: Callable[[], object]) -> None:
    with storage_errors(), engine.begin() as connection:
        statements(connection)
    committed()
