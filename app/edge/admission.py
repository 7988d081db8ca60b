"""How many answers one process works on at once, and how many wait for their turn (decisions 0022 and 0053)."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from app.edge.requester import requester_of
from app.edge.shares import FairPermits
from app.features import FEATURES
from app.operation.measures import Measures
from core.errors import Overloaded

CREDENTIALS = (b"authorization", b"cookie")
_STARTS = tuple(
    (re.compile(f"{start.method} {start.path}"), start.query) for feature in FEATURES for start in feature.starts_runs
)


def starts_run(scope: Scope) -> bool:
    """True for a request that starts a run, and so needs a permit."""
    address = f"{scope['method']} {scope['path']}"
    return any(pattern.fullmatch(address) and _asks(scope, query) for pattern, query in _STARTS)


def _asks(scope: Scope, query: str) -> bool:
    """True if the query has that parameter and it is not blank, or if none is needed."""
    if not query:
        return True
    given = parse_qs(scope["query_string"].decode("latin-1"))
    return any(value.strip() for value in given.get(query, ()))


class Admission:
    """Permits for runs, shared fairly between requesters (decision 0053).

    A request is refused if it waits too long, or if the queue is full and no other requester has more than its own.
    """

    def __init__(
        self, max_answers: int, max_queue: int, queue_seconds: float, measures: Measures | None = None
    ) -> None:
        self.measures = measures or Measures()
        self.max_answers = max_answers
        self.max_queue = max_queue
        self.queue_seconds = queue_seconds
        self._permits = FairPermits(max_answers)
        self._start = asyncio.Lock()
        self._under_way: Counter[tuple[bytes, ...] | str] = Counter()
        """Requests by their sender's credentials, or else its address."""

    def is_free(self, requester: str) -> bool:
        """True if the requester gets a permit without waiting."""
        return self._permits.is_free(requester)

    def check_room(self, requester: str) -> None:
        """Raises `Overloaded` if there is neither a permit nor room in the queue for the requester."""
        if self.is_free(requester) or self._permits.waiting < self.max_queue:
            return
        if self._permits.greediest(requester) is None:
            raise self._no_room()

    @contextmanager
    def count(self, scope: Scope) -> Iterator[None]:
        """Raises `Overloaded` for requests of one sender that cannot all find room.

        Looking up the keys of a burst would keep its refusals waiting. Who sends a request is not known yet, so
        requests are counted by what they send to say so, which nobody else can send.
        """
        sender = tuple(value for name, value in scope["headers"] if name in CREDENTIALS) or requester_of(scope)
        if self._under_way[sender] >= self.max_answers + self.max_queue:
            raise self._no_room()
        self._under_way[sender] += 1
        try:
            yield
        finally:
            self._under_way[sender] -= 1
            if not self._under_way[sender]:
                del self._under_way[sender]

    @asynccontextmanager
    async def permit(self, requester: str, receive: Receive) -> AsyncIterator[Receive]:
        """Holds a permit. Gives a `receive` that repeats what was received while it waited.

        Raises `ClientDisconnect` if the client disconnects meanwhile, and `Overloaded`.
        """
        if self.is_free(requester):
            await self.acquire(requester)
        else:
            receive = await self._wait_with(requester, receive)
        try:
            await self.turn()
            yield receive
        finally:
            self.release(requester)

    async def acquire(self, requester: str) -> None:
        """Waits for a permit, to be returned by `release`. Raises `Overloaded`."""
        self.check_room(requester)
        if self.is_free(requester):
            self._permits.take(requester)
        else:
            await self._wait(requester)
        self._measure()

    async def _wait(self, requester: str) -> None:
        if self._permits.waiting >= self.max_queue and (greedy := self._permits.greediest(requester)) is not None:
            self._permits.evict(greedy, self._no_room())
        turn = self._permits.enqueue(requester)
        self._measure()
        try:
            async with asyncio.timeout(self.queue_seconds):
                await turn
        except TimeoutError:
            self._permits.leave(requester, turn)
            self.measures.refused()
            detail = f"The request has waited {self.queue_seconds:g} s for its turn. Try again later, or raise "
            raise Overloaded(f"{detail}EDUMOD_MAX_ANSWERS or EDUMOD_QUEUE_SECONDS.", self.queue_seconds) from None
        except asyncio.CancelledError:
            self._permits.leave(requester, turn)
            raise
        finally:
            self._measure()

    def _no_room(self) -> Overloaded:
        self.measures.refused()
        detail = f"Too many answers are under way, and {self._permits.waiting} requests wait for their turn. Try again "
        return Overloaded(f"{detail}later, or raise EDUMOD_MAX_ANSWERS or EDUMOD_MAX_QUEUE.", self.queue_seconds)

    async def turn(self) -> None:
        """Let whatever else is ready go first, and one holder of a permit at a time go on.

        What an answer does before it first waits takes a millisecond or two. Those of a burst, one right after another,
        would keep its refusals and `/healthz` waiting for them all.
        """
        async with self._start:
            await asyncio.sleep(0)

    def release(self, requester: str) -> None:
        self._permits.release(requester)
        self._measure()

    async def _wait_with(self, requester: str, receive: Receive) -> Receive:
        """Wait for a permit. Returns a `receive` that repeats the messages received meanwhile.

        Raises `ClientDisconnect` if the client disconnects, and `Overloaded`.
        """
        self.check_room(requester)
        came: list[Message] = []
        entering = asyncio.ensure_future(self.acquire(requester))
        leaving = asyncio.ensure_future(_until_left(receive, came))
        try:
            await asyncio.wait((entering, leaving), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._give_up(requester, entering)
            raise
        finally:
            leaving.cancel()
        if not entering.done():
            self._give_up(requester, entering)
            raise ClientDisconnect
        entering.result()
        return _after(came, receive)

    def _give_up(self, requester: str, entering: asyncio.Task[None]) -> None:
        """Leave the queue, and return the permit if it was already acquired."""
        if not entering.cancel() and not entering.exception():
            self.release(requester)

    def _measure(self) -> None:
        self.measures.load(self._permits.held, self._permits.waiting)


async def _until_left(receive: Receive, came: list[Message]) -> None:
    while (message := await receive())["type"] != "http.disconnect":
        came.append(message)


def _after(came: list[Message], receive: Receive) -> Receive:
    """A `receive` that first repeats the messages in `came`."""

    async def after() -> Message:
        return came.pop(0) if came else await receive()

    return after
