"""Permits of a limited number, shared fairly between those who ask for them."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

RESERVED = 8
"""Every such permit is kept for those who hold none, so that nobody can hold them all for long."""


@dataclass(slots=True)
class Share:
    """What one requester holds and waits for. `served` is the number of the last grant, 0 before the first."""

    held: int = 0
    served: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def load(self) -> int:
        return self.held + len(self.waiting)


class FairPermits:
    """The next permit goes to whoever holds the fewest; of those, to whoever was served longest ago."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._reserve = size // RESERVED
        self._grants = 0
        self._shares: dict[str, Share] = {}

    @property
    def held(self) -> int:
        return sum(share.held for share in self._shares.values())

    @property
    def waiting(self) -> int:
        return sum(len(share.waiting) for share in self._shares.values())

    def is_free(self, requester: str) -> bool:
        """True if the requester gets a permit without waiting."""
        return self._may_hold(self._shares.get(requester) or Share())

    def take(self, requester: str) -> None:
        """Hold a permit that is free."""
        self._grant(self._shares.setdefault(requester, Share()))

    def enqueue(self, requester: str) -> asyncio.Future[None]:
        """Wait for a permit: it is held as soon as the future is done, see `leave`."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._shares.setdefault(requester, Share()).waiting.append(turn)
        return turn

    def leave(self, requester: str, turn: asyncio.Future[None]) -> None:
        """Wait no longer; a permit that was granted meanwhile goes to another."""
        share = self._shares.get(requester)
        if share is not None and turn in share.waiting:
            share.waiting.remove(turn)
            self._forget(requester)
        elif turn.done() and not turn.cancelled() and turn.exception() is None:
            self.release(requester)

    def release(self, requester: str) -> None:
        self._shares[requester].held -= 1
        self._free += 1
        self._forget(requester)
        while (ready := self._next()) is not None:
            turn = self._shares[ready].waiting.popleft()
            if not turn.done():
                self._grant(self._shares[ready])
                turn.set_result(None)
            self._forget(ready)

    def greediest(self, than: str) -> str | None:
        """Who waits and, even with one request less, has no fewer than the requester would have; None if nobody."""
        own = self._shares.get(than) or Share()
        waiting = [(share.load, requester) for requester, share in self._shares.items() if share.waiting]
        load, requester = max(waiting, default=(0, ""))
        return requester if load > own.load + 1 else None

    def evict(self, requester: str, error: Exception) -> None:
        """End the newest wait of the requester with an error."""
        turn = self._shares[requester].waiting.pop()
        if not turn.done():
            turn.set_exception(error)
        self._forget(requester)

    def _may_hold(self, share: Share) -> bool:
        return self._free > (self._reserve if share.held else 0)

    def _next(self) -> str | None:
        """Who gets the next permit; None if nobody waits who may hold it."""
        ready = [requester for requester, share in self._shares.items() if share.waiting and self._may_hold(share)]
        return min(ready, key=lambda name: (self._shares[name].held, self._shares[name].served), default=None)

    def _grant(self, share: Share) -> None:
        self._free -= 1
        self._grants += 1
        share.held, share.served = share.held + 1, self._grants

    def _forget(self, requester: str) -> None:
        """Keep nothing of whoever neither holds nor waits."""
        if not self._shares[requester].load:
            del self._shares[requester]
