"""An OpenAI-compatible endpoint that misbehaves at random: `python -m benchmarks.soak.endpoint OPTIONS`, as JSON.

Good replies are those of `benchmarks.model_server`. `GET /asked` tells how often each kind of reply was given, and how
often the target of its redirects was asked, which no client may do: the request carries the key and students' words.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

import uvloop
from pydantic import BaseModel
from pydantic_core import from_json, to_json

from benchmarks.model_server import completion

SECONDS = 0.2
"""What a good reply takes."""
MAX_SECONDS = 60.0
"""After which a reply that hangs or drips is given up, where the client has not left before."""
DRIP_SECONDS = 0.5
MAX_HUGE = 2
"""Huge replies under way at once; a further one becomes an error 500, so that memory stays bounded."""
PIECE = b"a" * 2**20
HUGE_START = b'{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "'
HUGE_END = b'"}}]}'


class Options(BaseModel):
    """`faults` is the share of requests that misbehave in each way."""

    port: int
    target_port: int
    faults: float
    huge_mb: int
    seed: int


class Endpoint:
    """Serves connections one request at a time."""

    def __init__(self, options: Options) -> None:
        self.asked: Counter[str] = Counter()
        self._options = options
        self._random = random.Random(options.seed)
        self._huge = 0
        self._faults: dict[str, Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[bool]]] = {
            "hang": self._hang, "drip": self._drip, "500": self._error(500), "529": self._error(529),
            "huge": self._huge_reply, "truncated": self._truncated, "redirect": self._redirect,
        }  # fmt: skip

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            while await self._reply(*await _request(reader), reader, writer):
                pass
        writer.close()

    async def handle_redirected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Whoever connects has followed a redirect."""
        self.asked["redirect target"] += 1
        writer.close()

    async def _reply(self, path: str, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Give one reply; True where the connection can be used again."""
        if path == "/asked":
            return await _send(writer, to_json(self.asked))
        good = to_json(completion(from_json(body)))
        fault = self._drawn()
        self.asked[fault or "good"] += 1
        if fault:
            return await self._faults[fault](reader, writer, good)
        await asyncio.sleep(SECONDS)
        return await _send(writer, good)

    def _drawn(self) -> str | None:
        number = int(self._random.random() / self._options.faults) if self._options.faults else len(self._faults)
        return [*self._faults, None][min(number, len(self._faults))]

    async def _hang(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
        await asyncio.wait_for(reader.read(1), MAX_SECONDS)
        return False

    async def _drip(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
        async with asyncio.timeout(MAX_SECONDS):
            for byte in _head(200, {"Content-Length": len(good)}) + good:
                await _write(writer, bytes([byte]))
                await asyncio.sleep(DRIP_SECONDS)
        return True

    def _error(self, status: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[bool]]:
        async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
            return await _send(writer, b'{"error": {"message": "something is wrong"}}', status)

        return reply

    async def _huge_reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
        """Endless content, every second time as a little gzip."""
        if self._huge >= MAX_HUGE:
            return await _send(writer, b'{"error": {"message": "something is wrong"}}', 500)
        self._huge += 1
        try:
            packed = bool(self.asked["huge"] % 2)
            content = {"Content-Encoding": "gzip"} if packed else {}
            await _write(writer, _head(200, {"Transfer-Encoding": "chunked", **content}))
            async with asyncio.timeout(MAX_SECONDS):
                for piece in _huge(self._options.huge_mb, packed=packed):
                    await _write(writer, f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    await asyncio.sleep(0)
            await _write(writer, b"0\r\n\r\n")
            return True
        finally:
            self._huge -= 1

    async def _truncated(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
        await _write(writer, _head(200, {"Content-Length": len(good)}) + good[: len(good) // 2])
        return False

    async def _redirect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, good: bytes) -> bool:
        target = f"http://127.0.0.1:{self._options.target_port}/v1/chat/completions"
        return await _send(writer, b"", 307, Location=target)


def _huge(megabytes: int, *, packed: bool) -> Iterator[bytes]:
    pieces = (HUGE_START, *([PIECE] * megabytes), HUGE_END)
    if not packed:
        yield from pieces
        return
    gzip = zlib.compressobj(wbits=31)
    yield from filter(None, map(gzip.compress, pieces))
    yield gzip.flush()


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
    return first.split(" ")[1], await reader.readexactly(int(headers.get("content-length", 0)))


def _head(status: int, headers: dict[str, object]) -> bytes:
    lines = [f"HTTP/1.1 {status} -", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode()


async def _send(writer: asyncio.StreamWriter, body: bytes, status: int = 200, **headers: str) -> bool:
    await _write(writer, _head(status, {"Content-Length": len(body), **headers}) + body)
    return True


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Raises `ConnectionError` where the client has left: uvloop raises another one."""
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(data)
    await writer.drain()


async def serve(options: Options) -> None:
    endpoint = Endpoint(options)
    target = await asyncio.start_server(endpoint.handle_redirected, "127.0.0.1", options.target_port)
    listening = await asyncio.start_server(endpoint.handle, "127.0.0.1", options.port)
    await asyncio.gather(target.serve_forever(), listening.serve_forever())


if __name__ == "__main__":
    uvloop.run(serve(Options.model_validate(json.loads(sys.argv[1]))))
