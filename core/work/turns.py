"""Who is served next: whoever has the least at work, and of those, who has used the least time of late."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic

from core.errors import Overloaded, Stopping
from core.work.callers import OWN, Caller

HALF_LIFE_SECONDS = 60.0
"""After which time that somebody used counts half."""
FORGOTTEN_SECONDS = 0.01
MAX_REMEMBERED = 1_000


MAX_WAITING = 128


@dataclass(eq=False)
class _Waiter:
    caller: Caller
    turn: asyncio.Future[None]
    is_served: bool = False


class TurnQueue:
    """`slots` turns at once. `spare` of them are never had by one person alone, as long as that leaves her one.

    A caller is a path, see `Caller`. Keys are compared first and then the people behind them, so that a key which
    invents people gains nothing. Where `max_waiting` wait, whoever has the most of them is refused one. `OWN` work may
    use all slots and wait in any number.
    """

    def __init__(
        self,
        slots: int,
        *,
        spare: int = 1,
        max_waiting: int = MAX_WAITING,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._slots = slots
        self._max_waiting = max_waiting
        self._own_slots = max(slots - spare, 1)
        self._clock = clock
        self._waiting: list[_Waiter] = []
        self._at_work: Counter[Caller] = Counter()
        self._used: dict[Caller, tuple[float, float]] = {}
        self._is_closed = False

    @asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """A turn for the caller. Raises `Overloaded` where too much waits already, `Stopping` once closed."""
        await self._wait(caller)
        started = self._clock()
        try:
            yield
        finally:
            self._leave(caller, self._clock() - started)

    def close(self) -> None:
        """Serve nobody any more; who waits gets `Stopping`."""
        self._is_closed = True
        for waiter in self._waiting:
            if not waiter.turn.done():
                waiter.turn.set_exception(stopping())
        self._waiting.clear()

    async def _wait(self, caller: Caller) -> None:
        if self._is_closed:
            raise stopping()
        waiter = _Waiter(caller, asyncio.get_running_loop().create_future())
        if caller != OWN:
            self._make_room(waiter)
        self._waiting.append(waiter)
        self._serve()
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            if waiter.is_served:
                # The turn was given in the moment in which its caller left.
                self._leave(caller, 0.0)
            raise

    def _make_room(self, newcomer: _Waiter) -> None:
        """Refuses the last job of whoever has the most in a full queue. Raises `Overloaded` if that is the newcomer."""
        waiting = [waiter for waiter in self._waiting if waiter.caller != OWN and not waiter.turn.done()]
        if len(waiting) < self._max_waiting:
            return
        waiting.append(newcomer)
        counts = Counter(prefix for waiter in waiting for prefix in _prefixes(waiter.caller))
        refused = max(reversed(waiting), key=lambda waiter: [counts[prefix] for prefix in _prefixes(waiter.caller)])
        error = Overloaded(f"{self._max_waiting} files and texts wait to be read and checked. Try again later.")
        if refused is newcomer:
            raise error
        self._waiting.remove(refused)
        refused.turn.set_exception(error)

    def _serve(self) -> None:
        while self._at_work[()] < self._slots:
            # Whoever is just leaving is still in the list.
            candidates = [
                waiter for waiter in self._waiting if not waiter.turn.done() and self._may_work(waiter.caller)
            ]
            if not candidates:
                return
            waiter = min(candidates, key=self._rank)
            self._waiting.remove(waiter)
            for prefix in _prefixes(waiter.caller):
                self._at_work[prefix] += 1
            waiter.is_served = True
            waiter.turn.set_result(None)

    def _may_work(self, caller: Caller) -> bool:
        return caller == OWN or self._at_work[caller] < self._own_slots

    def _rank(self, waiter: _Waiter) -> list[tuple[int, float]]:
        prefixes = list(_prefixes(waiter.caller))[1:]
        return [(self._at_work[prefix], self._seconds_used(prefix)) for prefix in prefixes]

    def _seconds_used(self, prefix: Caller) -> float:
        seconds, at = self._used.get(prefix, (0.0, 0.0))
        decayed: float = seconds * 0.5 ** ((self._clock() - at) / HALF_LIFE_SECONDS)
        return decayed

    def _leave(self, caller: Caller, seconds: float) -> None:
        for prefix in _prefixes(caller):
            self._at_work[prefix] -= 1
            if not self._at_work[prefix]:
                del self._at_work[prefix]
            self._used[prefix] = (self._seconds_used(prefix) + seconds, self._clock())
        if len(self._used) > MAX_REMEMBERED:
            self._used = {
                caller: use for caller, use in self._used.items() if self._seconds_used(caller) > FORGOTTEN_SECONDS
            }
        self._serve()


def _prefixes(caller: Caller) -> Iterator[Caller]:
    """From everybody, the empty path, to the person."""
    return (caller[:length] for length in range(len(caller) + 1))


def stopping() -> Stopping:
    """What callers get once nothing is served any more."""
    return Stopping("The service is being stopped, so this was not done. Try again in a moment.")
