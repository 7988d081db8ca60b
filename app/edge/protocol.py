"""uvicorn's HTTP protocol with time limits for slow clients and a limit on connections (decisions 0021 and 0053).

A request only increments counters: each connection checks its state several times within the shortest limit. So a
limit may be exceeded by a quarter of the shortest one.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from multiprocessing import parent_process
from typing import Any, NamedTuple

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from app import request_id
from app.edge.access_log import REFUSED
from app.edge.crowding import Idleness, connections_to_close
from app.edge.headers import ALWAYS
from app.edge.requester import client_of
from app.edge.supervisor import end_quietly
from app.operation.logs import ACCESS, refusal_line
from app.problems import MEDIA_TYPE, document

MAX_UNFINISHED_HEADER_BYTES = 65_536
MAX_AHEAD = 16
"""Maximum requests that a client may pipeline, that is, send before the reply to the first. Hardly any client does."""
MAX_TICK_SECONDS = 1.0
SHARE_CLOSED_AT_ONCE = 64
"""At the limit, one of so many connections is closed to make room."""
RETRY_SECONDS = 10
"""Retry-After for a client beyond the maximum number of connections."""

log = logging.getLogger(ACCESS)


class WaitKind(Enum):
    """What the server waits for: that the client sends a header, sends a body, or reads."""

    HEADER = auto()
    BODY = auto()
    READING = auto()


class Stage(Enum):
    """How much of the latest request was received."""

    NONE = auto()
    HEADER = auto()
    BODY = auto()
    WHOLE = auto()


class Wait(NamedTuple):
    """What a connection waits for. Two are equal only if there was no progress between them."""

    kind: WaitKind
    stage: Stage
    requests: int
    pauses: int


@dataclass(frozen=True)
class ConnectionLimits:
    """Limits for clients; times in seconds."""

    header_seconds: float
    body_seconds: float
    send_seconds: float
    max_connections: int

    @property
    def tick_seconds(self) -> float:
        return min(MAX_TICK_SECONDS, self.header_seconds / 4, self.body_seconds / 4, self.send_seconds / 4)

    def seconds(self, kind: WaitKind) -> float:
        return {
            WaitKind.HEADER: self.header_seconds,
            WaitKind.BODY: self.body_seconds,
            WaitKind.READING: self.send_seconds,
        }[kind]


class LimitedConfig(uvicorn.Config):
    """uvicorn's configuration with the limits; passed to each worker process."""

    def __init__(self, app: Any, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(app, http=LimitedProtocol, **options)
        self.limits = limits

    def configure_logging(self) -> None:
        """What uvicorn does first in a worker process, and so the first place where it can be told how to end."""
        super().configure_logging()
        if parent_process() is not None:
            end_quietly()


class LimitedProtocol(HttpToolsProtocol):
    """A connection that is closed if its client does not send or read within the limits."""

    def __init__(
        self,
        config: LimitedConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = config.limits
        self._stage = Stage.NONE
        self._requests = 0
        self._pauses = 0
        self._unfinished_header_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._waits: Wait | None = None
        self._since = 0.0
        self._moved = 0.0
        """When the latest request got to its stage, or was answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._moved = self.loop.time()
        self._check()
        if len(self.connections) > self._limits.max_connections and not self._make_room():
            self._refuse_crowded()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        before = self._requests
        super().data_received(data)
        if self._stage is Stage.HEADER and self._requests == before:
            self._unfinished_header_bytes += len(data)
            if self._unfinished_header_bytes > MAX_UNFINISHED_HEADER_BYTES and not self._is_answering:
                limit = f"{MAX_UNFINISHED_HEADER_BYTES:,} bytes"
                self._refuse(431, "too-large", f"The header is longer than {limit}. Send fewer or shorter headers.")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_AHEAD:
            # The parser stops at an exception, and the connection is closed as for a malformed request.
            raise OverflowError("too many requests were sent ahead")
        self._reach(Stage.HEADER)
        self._requests += 1
        self._unfinished_header_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._reach(Stage.BODY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._reach(Stage.WHOLE)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._moved = self.loop.time()
        super().on_response_complete()

    def _reach(self, stage: Stage) -> None:
        self._stage = stage
        self._moved = self.loop.time()

    def pause_writing(self) -> None:
        self._pauses += 1
        super().pause_writing()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "bad-request", "This is not a well-formed HTTP/1.1 request.")

    @property
    def holder(self) -> str:
        """The client's address, for which the connection counts."""
        return client_of(self.client[0]) if self.client else ""

    @property
    def idleness(self) -> Idleness | None:
        """Since when it waits for its client; None while the client waits for the server."""
        if (wait := self._wait()) is None:
            return None
        is_idle = wait.kind is WaitKind.HEADER and self._stage is not Stage.HEADER
        return Idleness(not is_idle, self._moved)

    def _make_room(self) -> bool:
        """Close connections that wait for their clients, so that this one finds room; false if there are none.

        Several at once, since each search takes a millisecond.
        """
        held = (other for other in self.connections if isinstance(other, LimitedProtocol) and other is not self)
        others = [other for other in held if other.is_held]
        limit = self._limits.max_connections
        if len(others) < limit:
            return True
        crowding = connections_to_close(self, others, max(1, limit // SHARE_CLOSED_AT_ONCE))
        for connection in crowding:
            connection.give_way()
        return bool(crowding)

    @property
    def is_held(self) -> bool:
        """True unless the connection is closed as soon as the event loop gets to it."""
        return not self.transport.is_closing() or self.transport.get_write_buffer_size() > 0

    def give_way(self) -> None:
        """Close the connection, which waits for its client, for others."""
        if (wait := self._wait()) is None or wait.kind is WaitKind.READING:
            self._stop_answering()
            self.transport.abort()
        elif self._stage in (Stage.HEADER, Stage.BODY):
            self._refuse_crowded()
        else:
            self.transport.close()

    def _refuse_crowded(self) -> None:
        detail = "The server has too many connections. Try again later, or raise EDUMOD_MAX_CONNECTIONS."
        self._refuse(503, "overloaded", detail, (b"retry-after", str(RETRY_SECONDS).encode()))

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _check(self) -> None:
        """Close the connection if it has waited for the same thing too long; otherwise check again later."""
        now, wait = self.loop.time(), self._wait()
        if wait != self._waits:
            self._waits, self._since = wait, now
        elif wait is not None and now - self._since >= self._limits.seconds(wait.kind):
            self._end(wait)
        self._timer = self.loop.call_later(self._limits.tick_seconds, self._check)

    def _wait(self) -> Wait | None:
        """What the connection waits for from its client; None while the client waits for the server."""
        if self.flow.write_paused or (self.transport.get_write_buffer_size() and not self._is_sending):
            kind = WaitKind.READING
        elif self.transport.is_closing() or self.flow.read_paused:
            return None
        elif self._stage is Stage.BODY:
            kind = WaitKind.BODY
        elif self._is_answering:
            return None
        else:
            kind = WaitKind.HEADER
        return Wait(kind, self._stage, self._requests, self._pauses)

    @property
    def _is_sending(self) -> bool:
        """True if more may be written, so that the unsent data may be newer than at the last check."""
        return self._is_answering and not self.transport.is_closing()

    def _end(self, wait: Wait) -> None:
        if wait.kind is WaitKind.READING:
            self._stop_answering()
            self.transport.abort()
        elif wait.kind is WaitKind.HEADER and self._stage is Stage.HEADER:
            seconds = f"{self._limits.header_seconds:g} s"
            self._refuse(408, "request-timeout", f"The header of the request did not arrive within {seconds}.")
        elif wait.kind is WaitKind.BODY and self._is_answering:
            seconds = f"{self._limits.body_seconds:g} s"
            self._refuse(408, "request-timeout", f"The body of the request did not arrive within {seconds}.")
        else:
            self.transport.close()

    def _refuse(self, status: int, code: str, detail: str, *headers: tuple[bytes, bytes]) -> None:
        """Send a problem document, unless a response has begun, and close the connection."""
        has_begun = bool(self.pipeline) or (self._is_answering and self.cycle.response_started)
        own_id = request_id.new()
        if self._is_answering:
            self.cycle.scope["state"][REFUSED] = status
        else:
            refusal_line(log, status, own_id)
        self._stop_answering()
        if not has_begun:
            self.transport.write(self._problem(own_id, status, code, detail, headers))
        self.transport.close()

    def _stop_answering(self) -> None:
        """Notify the app at once that the client is gone; what it still writes is dropped."""
        if self._is_answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _problem(
        self, own_id: str, status: int, code: str, detail: str, headers: Iterable[tuple[bytes, bytes]]
    ) -> bytes:
        body = json.dumps(document(status, code, detail, None, request_id=own_id)).encode()
        lines = (
            *self.server_state.default_headers,
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            (request_id.HEADER.lower().encode(), own_id.encode()),
            *headers,
            *ALWAYS,
        )
        head = b"".join(name + b": " + value + b"\r\n" for name, value in lines)
        return STATUS_LINE[status] + head + b"\r\n" + body
