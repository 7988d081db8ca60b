"""What the classes of the store have in common: each reads and writes the tables of one topic."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Executable, Row
from sqlmodel import SQLModel

from core.store.engine.database import Database

P = ParamSpec("P")
R = TypeVar("R", bound=SQLModel)
T = TypeVar("T")
Rows = Sequence[Row[*tuple[Any, ...]]]


class Topic:
    """Single statements in transactions of their own; several are a method under `transaction`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _rows(self, query: Executable, parameters: Mapping[str, Any] | None = None) -> Rows:
        async with self._database.read() as connection:
            return (await connection.execute(query, parameters)).all()

    async def _all(self, row: type[R], query: Executable) -> list[R]:
        """The rows of a query on the whole table of `row`."""
        return [row(**values._mapping) for values in await self._rows(query)]

    async def _find(self, row: type[R], query: Executable, parameters: Mapping[str, Any] | None = None) -> R | None:
        """The first row of a query on the whole table of `row`."""
        return next((row(**values._mapping) for values in await self._rows(query, parameters)), None)

    async def _scalar(self, query: Executable) -> Any:
        """The first column of the first row; None where there is none."""
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar()

    async def _change(self, statement: Executable, rows: Any = None) -> int:
        """Run a statement, once for each of `rows`; how many rows an update or a deletion changed."""
        return await self._transact(lambda connection: int(connection.execute(statement, rows).rowcount))

    async def _transact(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `work` returns, run in a transaction that is rolled back if it raises."""
        async with self._database.write() as connection:
            return await connection.run_sync(work, *args, **kwargs)


S = TypeVar("S", bound=Topic)


def transaction(
    work: Callable[Concatenate[S, Connection, P], T],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """A method that runs in a transaction, rolled back if it raises. Callers leave the connection out, and await it."""

    @wraps(work)
    async def run(topic: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await topic._transact(lambda connection: work(topic, connection, *args, **kwargs))

    return run
