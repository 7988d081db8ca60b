"""uvicorn's HTTP protocol with time limits for slow clients and a limit on connections (decision 0021).

Nothing is done per request but to count: each connection looks several times within its shortest limit at what it
waits for. A limit may so be exceeded by a quarter of the shortest one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from app import request_id
from app.edge.headers import ALWAYS
from app.problems import MEDIA_TYPE, document

MAX_UNFINISHED_HEADER_BYTES = 65_536
MAX_AHEAD = 16
"""Requests that a client may send before it has the reply to the first. Hardly any client sends one."""
MAX_TICK_SECONDS = 1.0
RETRY_SECONDS = 10
"""What a client that is one too many is told to wait."""


class Kind(Enum):
    """What a client is to do: send a header, send a body, or read."""

    HEADER = auto()
    BODY = auto()
    READING = auto()


class Stage(Enum):
    """How far the latest request has arrived."""

    NONE = auto()
    HEADER = auto()
    BODY = auto()
    WHOLE = auto()


class Wait(NamedTuple):
    """What a connection waits for; equal to another only as long as nothing has moved on."""

    kind: Kind
    stage: Stage
    requests: int
    pauses: int


@dataclass(frozen=True)
class ConnectionLimits:
    """What a client is given; times in seconds."""

    header_seconds: float
    body_seconds: float
    send_seconds: float
    max_connections: int

    @property
    def tick_seconds(self) -> float:
        return min(MAX_TICK_SECONDS, self.header_seconds / 4, self.body_seconds / 4, self.send_seconds / 4)

    def seconds(self, kind: Kind) -> float:
        return {
            Kind.HEADER: self.header_seconds,
            Kind.BODY: self.body_seconds,
            Kind.READING: self.send_seconds,
        }[kind]


class LimitedConfig(uvicorn.Config):
    """uvicorn's configuration, with the limits; goes to each worker process as a whole."""

    def __init__(self, app: Any, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(app, http=LimitedProtocol, **options)
        self.limits = limits


class LimitedProtocol(HttpToolsProtocol):
    """A connection that ends where its client does not send or take what it should within the limits."""

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

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        if len(self.connections) > self._limits.max_connections:
            detail = "The server has as many connections as it may. Try again later, or raise EDUMOD_MAX_CONNECTIONS."
            self._refuse(503, "overloaded", detail, (b"retry-after", str(RETRY_SECONDS).encode()))

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
        self._stage = Stage.HEADER
        self._requests += 1
        self._unfinished_header_bytes = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stage = Stage.BODY
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stage = Stage.WHOLE
        super().on_message_complete()

    def pause_writing(self) -> None:
        self._pauses += 1
        super().pause_writing()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "bad-request", "This is not a request in HTTP/1.1, or a malformed one.")

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _look(self) -> None:
        """End the connection where it has waited for the same thing too long; look again later."""
        now, wait = self.loop.time(), self._wait()
        if wait != self._waits:
            self._waits, self._since = wait, now
        elif wait is not None and now - self._since >= self._limits.seconds(wait.kind):
            self._end(wait)
        self._timer = self.loop.call_later(self._limits.tick_seconds, self._look)

    def _wait(self) -> Wait | None:
        """What the connection waits for from its client; None where it is the client that waits."""
        if self.flow.write_paused or (self.transport.get_write_buffer_size() and not self._is_sending):
            kind = Kind.READING
        elif self.transport.is_closing() or self.flow.read_paused:
            return None
        elif self._stage is Stage.BODY:
            kind = Kind.BODY
        elif self._is_answering:
            return None
        else:
            kind = Kind.HEADER
        return Wait(kind, self._stage, self._requests, self._pauses)

    @property
    def _is_sending(self) -> bool:
        """True where more may be written, so that what waits to be sent may be newer than at the last look."""
        return self._is_answering and not self.transport.is_closing()

    def _end(self, wait: Wait) -> None:
        if wait.kind is Kind.READING:
            self._stop_answering()
            self.transport.abort()
        elif wait.kind is Kind.HEADER and self._stage is Stage.HEADER:
            seconds = f"{self._limits.header_seconds:g} s"
            self._refuse(408, "request-timeout", f"The header of the request did not arrive within {seconds}.")
        elif wait.kind is Kind.BODY and self._is_answering:
            seconds = f"{self._limits.body_seconds:g} s"
            self._refuse(408, "request-timeout", f"The body of the request did not arrive within {seconds}.")
        else:
            self.transport.close()

    def _refuse(self, status: int, code: str, detail: str, *headers: tuple[bytes, bytes]) -> None:
        """Say why, unless a response is being sent already, and close the connection."""
        has_begun = bool(self.pipeline) or (self._is_answering and self.cycle.response_started)
        self._stop_answering()
        if not has_begun:
            self.transport.write(self._problem(status, code, detail, headers))
        self.transport.close()

    def _stop_answering(self) -> None:
        """Let the app know at once that nobody listens; what it still writes goes nowhere."""
        if self._is_answering:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _problem(self, status: int, code: str, detail: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        own_id = request_id.new()
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
