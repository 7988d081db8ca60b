"""A model endpoint that misbehaves on cue: raw HTTP over a socket, so that every fault can be produced.

A server plays its acts in order, one per request, and repeats the last one. `FAULTS` names the faults a text task may
meet, each a single act; the functions make others.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Act:
    """One response. Times are in seconds."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    wait: float = 0.0
    """Before the first byte."""
    drip: float = 0.0
    """Between the body's bytes."""
    reset_after: int | None = None
    """Bytes, headers included, after which the connection is reset."""
    raw: bytes | None = None
    """Sent in place of an HTTP response."""


@dataclass
class FaultServer:
    """A running server, and what it saw."""

    acts: list[Act]
    base_url: str = ""
    requests: list[Json] = field(default_factory=list)
    """Bodies, in order of arrival."""
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    most_under_way: int = 0
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client closed its connection before the response was complete."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._request(reader):
                act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
                self.under_way += 1
                self.most_under_way = max(self.under_way, self.most_under_way)
                try:
                    complete = await self._play(act, reader, writer)
                finally:
                    self.under_way -= 1
                if not complete:
                    break
        writer.close()

    async def _request(self, reader: asyncio.StreamReader) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        pairs = (line.partition(": ") for line in head.split("\r\n")[1:] if line)
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.headers.append(headers)
        self.requests.append(json.loads(body))
        self.asked.set()
        return True

    async def _play(self, act: Act, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send the response; True where it was sent whole, so that the connection can be used again."""
        # Reads ahead only to notice that the client has gone: nobody here sends two requests at once.
        watch = asyncio.create_task(self._watch(reader))
        try:
            await asyncio.sleep(act.wait)
            message = act.raw if act.raw is not None else _head(act) + act.body
            if act.reset_after is not None:
                writer.write(message[: act.reset_after])
                await _drain_and_reset(writer)
                return False
            if act.drip:
                await _drip(act, writer)
            else:
                writer.write(message)
                await writer.drain()
            return act.raw is None
        finally:
            watch.cancel()

    async def _watch(self, reader: asyncio.StreamReader) -> None:
        # Looks instead of reading: a byte read here would be missing from the next request.
        while not reader.at_eof():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        self.hung_up.set()


@asynccontextmanager
async def serving(*acts: Act) -> AsyncIterator[FaultServer]:
    """A server that plays these acts."""
    faulty = FaultServer(list(acts))
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(faulty.handle(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    faulty.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield faulty
    finally:
        server.close()
        for task in tuple(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def unused_url() -> str:
    """A URL at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def sent(value: Any, **fields: Any) -> Act:
    """A value as JSON."""
    return Act(json.dumps(value).encode(), **fields)


def said(content: str | None, finish_reason: str | None = "stop", **message: Any) -> Act:
    """A completion with that text, and whatever else its message has."""
    return completed({"role": "assistant", "content": content, **message}, finish_reason)


def completed(message: Any, finish_reason: str | None = "stop", **choice: Any) -> Act:
    """A completion with that message, and whatever else its choice has."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choices = [{"index": 0, "finish_reason": finish_reason, "message": message, **choice}]
    return sent({"object": "chat.completion", "model": "faulty-2025", "choices": choices, "usage": usage})


def called(*calls: tuple[str, Any], ids: tuple[str | None, ...] = (), finish_reason: str = "tool_calls") -> Act:
    """A completion that calls functions, each given by its name and its arguments as text or value."""
    raw = [
        {
            "id": ids[number] if ids else f"id-{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(calls)
    ]
    return said(None, finish_reason, tool_calls=raw)


def failed(status: int, message: str = "something is wrong", *, retry_after: str | None = None, **error: Any) -> Act:
    """An error in OpenAI's form."""
    headers = (("Retry-After", retry_after),) if retry_after is not None else ()
    return sent({"error": {"message": message, **error}}, status=status, headers=headers)


HTML = b"<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"
_GOOD = said("fine").body

FAULTS: dict[str, Act] = {
    "no choices": sent({"choices": []}),
    "choices null": sent({"choices": None}),
    "no choices at all": sent({"object": "chat.completion"}),
    "message null": completed(None),
    "message is a string": completed("hello"),
    "choices is a number": sent({"choices": 3}),
    "content null": said(None),
    "content empty": said(""),
    "content blank": said(" \n "),
    "content is a number": completed({"content": 7}),
    "refusal": said(None, refusal="I cannot help with that."),
    "cut at the length limit": said("Half a", "length"),
    "filtered": said("Half a", "content_filter"),
    "finish reason error": said("Half a", "error"),
    "error with status 200": sent({"error": {"message": "upstream exploded"}}),
    "error text with status 200": sent({"error": "upstream exploded"}),
    "busy error with status 200": sent({"error": {"message": "upstream is busy", "code": 429}}),
    "HTML with status 200": Act(HTML, content_type="text/html"),
    "HTML that claims to be JSON": Act(HTML),
    "JSON list": sent([1, 2]),
    "JSON text": sent("hello"),
    "JSON null": sent(None),
    "half of the JSON": Act(_GOOD[:40]),
    "nothing": Act(b""),
    "no content": Act(b"", status=204),
    "not UTF-8": Act(_GOOD.replace(b"fine", b"\xff\xfe")),
    "half a surrogate pair": Act(_GOOD.replace(b"fine", b"\\ud800")),
    "nested too deeply": Act(b"[" * 100_000),
    "HTML with status 500": Act(HTML, status=500, content_type="text/html"),
    "HTML with status 502": Act(HTML, status=502, content_type="text/html"),
    "not gzip": Act(_GOOD, headers=(("Content-Encoding", "gzip"),)),
    "half of the gzip": Act(gzip.compress(_GOOD)[:-12], headers=(("Content-Encoding", "gzip"),)),
    "reset at once": Act(reset_after=0),
    "reset in the headers": Act(_GOOD, reset_after=20),
    "reset in the body": Act(_GOOD, reset_after=len(_GOOD)),
    "closed at once": Act(raw=b""),
    "closed in the body": Act(raw=b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"),
    "not HTTP": Act(raw=b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    "slow to begin": Act(_GOOD, wait=30),
    "slow to go on": Act(_GOOD, drip=0.2),
}


def _head(act: Act) -> bytes:
    lines = [
        f"HTTP/1.1 {act.status} Whatever",
        f"Content-Type: {act.content_type}",
        f"Content-Length: {len(act.body)}",
        *(f"{name}: {value}" for name, value in act.headers),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


async def _drip(act: Act, writer: asyncio.StreamWriter) -> None:
    writer.write(_head(act))
    for byte in act.body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(act.drip)


async def _drain_and_reset(writer: asyncio.StreamWriter) -> None:
    await writer.drain()
    # Long enough for the client to read what came before the reset.
    await asyncio.sleep(0.05)
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
