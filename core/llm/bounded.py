"""Limits what is read from a response: decompressed bytes, encodings and redirects.

Bodies are decompressed while they are read, so that decompression stops at the limit: a small body that would inflate
to gigabytes is never inflated beyond it. Only gzip is requested and accepted: every server supports it, and the
standard library can decode it in bounded steps.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2

from core.llm.failures import Rejected, Unusable
from core.llm.retry import retry_after

MAX_ERROR_BYTES = 64 * 2**10
"""Maximum bytes read from the body of an error; the rest is not read."""
_PIECE_BYTES = 64 * 2**10
_GZIP = ("gzip", "x-gzip")


@dataclass(frozen=True)
class Bounds:
    """Applies the limits to each response before it is read. A hook of an `httpx2.AsyncClient`."""

    max_bytes: int

    async def __call__(self, response: httpx2.Response) -> None:
        """Raises `Rejected` for a redirect or an error with an unreadable body, `Unusable` for an unreadable reply."""
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if readable := encoding in ("", "identity", *_GZIP):
            # Removed, so that the body is not decompressed a second time.
            response.headers.pop("content-encoding", None)
        is_error = response.status_code >= 400
        if 300 <= response.status_code < 400 or (is_error and not readable):
            raise Rejected(response.status_code, None, retry_after(response.headers))
        if not readable:
            raise Unusable(f"sent a reply in the encoding {encoding[:40]!r}, although only gzip is accepted")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(
            response.stream,
            max_bytes=MAX_ERROR_BYTES if is_error else self.max_bytes,
            gzip=encoding in _GZIP,
            cuts=is_error,
        )


class _Bounded(httpx2.AsyncByteStream):
    """A decompressed body. Beyond its limit it is cut off if `cuts` is set; otherwise it raises `Unusable`."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, max_bytes: int, gzip: bool, cuts: bool) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._cuts = cuts
        self._pieces = _inflated(stream) if gzip else stream
        self._read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            self._read += len(piece)
            if self._read <= self._max_bytes:
                yield piece
            elif self._cuts:
                yield piece[: self._max_bytes - self._read]
                return
            else:
                raise Unusable(
                    f"sent a reply of more than {self._max_bytes:,} bytes. Raise EDUMOD_LLM_MAX_REPLY_BYTES if the "
                    "reply was valid"
                )

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _inflated(stream: httpx2.AsyncByteStream) -> AsyncIterator[bytes]:
    """A gzip body in pieces of bounded size, decompressed on demand."""
    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
    async for data in stream:
        if decompressor.eof:
            raise httpx2.DecodingError("there is data after the end of the gzip stream")
        while True:
            try:
                piece = decompressor.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                raise httpx2.DecodingError(str(error)) from error
            if piece:
                yield piece
            data = decompressor.unconsumed_tail
            if len(piece) < _PIECE_BYTES:
                break
