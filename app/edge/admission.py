"""How many answers one process works on at once, and how many wait for their turn (decision 0022)."""

from __future__ import annotations

import asyncio
import re

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.features import FEATURES
from app.operation.measures import Measures
from core.errors import Overloaded

_GOVERNED = re.compile("|".join(f"{method} {path}" for feature in FEATURES for method, path in feature.starts_runs))


def governed(method: str, path: str) -> bool:
    """True for a request that starts a run, and so needs a permit."""
    return _GOVERNED.fullmatch(f"{method} {path}") is not None


class Admission:
    """Permits for runs, in order of arrival. A request is refused if too many are waiting or it waits too long."""

    def __init__(
        self, max_answers: int, max_queue: int, queue_seconds: float, measures: Measures | None = None
    ) -> None:
        self.measures = measures or Measures()
        self.max_queue = max_queue
        self.queue_seconds = queue_seconds
        self._permits = asyncio.Semaphore(max_answers)
        self._under_way = 0
        self._waiting = 0
        self._start = asyncio.Lock()

    @property
    def is_free(self) -> bool:
        """True if a permit is available without waiting."""
        return not self._permits.locked()

    def check_room(self) -> None:
        """Raises `Overloaded` if there is neither a permit nor room in the queue."""
        if not self.is_free and self._waiting >= self.max_queue:
            self.measures.refused()
            detail = f"Too many answers are under way, and {self._waiting} requests wait for their turn. Try again "
            raise Overloaded(f"{detail}later, or raise EDUMOD_MAX_ANSWERS or EDUMOD_MAX_QUEUE.", self.queue_seconds)

    async def acquire(self) -> None:
        """Waits for a permit, to be returned by `release`. Raises `Overloaded`."""
        self.check_room()
        if self.is_free:
            await self._permits.acquire()
        else:
            await self._wait()
        self._count(under_way=1)

    async def _wait(self) -> None:
        self._count(waiting=1)
        try:
            async with asyncio.timeout(self.queue_seconds):
                await self._permits.acquire()
        except TimeoutError:
            self.measures.refused()
            detail = f"The request has waited {self.queue_seconds:g} s for its turn. Try again later, or raise "
            raise Overloaded(f"{detail}EDUMOD_MAX_ANSWERS or EDUMOD_QUEUE_SECONDS.", self.queue_seconds) from None
        finally:
            self._count(waiting=-1)

    async def turn(self) -> None:
        """Let whatever else is ready go first, and one holder of a permit at a time go on.

        What an answer does before it first waits takes a millisecond or two. Those of a burst, one right after another,
        would keep its refusals and `/healthz` waiting for them all.
        """
        async with self._start:
            await asyncio.sleep(0)

    def release(self) -> None:
        self._permits.release()
        self._count(under_way=-1)

    def _count(self, under_way: int = 0, waiting: int = 0) -> None:
        self._under_way += under_way
        self._waiting += waiting
        self.measures.load(self._under_way, self._waiting)


class RefusedWhenFull:
    """ASGI middleware: raises `Overloaded` before the body is read if there is no room for the request."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self.app = app
        self.admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and governed(scope["method"], scope["path"]):
            self.admission.check_room()
        await self.app(scope, receive, send)


class Admitted:
    """ASGI middleware: holds a permit until the response, streamed or not, is sent. Raises `Overloaded`.

    It runs after the body was read, so that clients that send slowly hold no permits.
    """

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self.app = app
        self.admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not governed(scope["method"], scope["path"]):
            await self.app(scope, receive, send)
            return
        if self.admission.is_free:
            await self.admission.acquire()
        else:
            receive = await self._wait(receive)
        try:
            await self.admission.turn()
            await self.app(scope, receive, send)
        finally:
            self.admission.release()

    async def _wait(self, receive: Receive) -> Receive:
        """Wait for a permit. Returns a `receive` that repeats the messages received meanwhile.

        Raises `ClientDisconnect` if the client disconnects, and `Overloaded`.
        """
        self.admission.check_room()
        came: list[Message] = []
        entering = asyncio.ensure_future(self.admission.acquire())
        leaving = asyncio.ensure_future(_until_left(receive, came))
        try:
            await asyncio.wait((entering, leaving), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._give_up(entering)
            raise
        finally:
            leaving.cancel()
        if not entering.done():
            self._give_up(entering)
            raise ClientDisconnect
        entering.result()
        return _after(came, receive)

    def _give_up(self, entering: asyncio.Task[None]) -> None:
        """Leave the queue, and return the permit if it was already acquired."""
        if not entering.cancel() and not entering.exception():
            self.admission.release()


async def _until_left(receive: Receive, came: list[Message]) -> None:
    while (message := await receive())["type"] != "http.disconnect":
        came.append(message)


def _after(came: list[Message], receive: Receive) -> Receive:
    """A `receive` that first repeats the messages in `came`."""

    async def after() -> Message:
        return came.pop(0) if came else await receive()

    return after
