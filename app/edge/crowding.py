"""Whose connections are closed when there are too many: those of the client that has most, idle ones first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar


class Idleness(NamedTuple):
    """What a connection that waits for its client is compared by: the least is closed first."""

    is_in_request: bool
    """True within a request that is sent, or a response that is read, slowly."""
    since: float


class Held(Protocol):
    """A connection as far as it matters here."""

    @property
    def holder(self) -> str:
        """The client's address."""

    @property
    def idleness(self) -> Idleness | None:
        """None while the client waits for the server."""


C = TypeVar("C", bound=Held)


def connections_to_close(newcomer: Held, others: Iterable[C], number: int) -> list[C]:
    """Up to so many connections of one client, which has no fewer than the newcomer's; none if all are in use."""
    groups: defaultdict[str, list[C]] = defaultdict(list)
    for connection in others:
        groups[connection.holder].append(connection)
    own = len(groups[newcomer.holder])
    for group in sorted(groups.values(), key=len, reverse=True):
        if len(group) < own:
            break
        waiting = [(idleness, connection) for connection in group if (idleness := connection.idleness) is not None]
        if waiting:
            return [connection for _, connection in sorted(waiting, key=lambda pair: pair[0])[:number]]
    return []
