"""Sends requests to an OpenAI-compatible endpoint, and decodes its replies, which `core.llm.completion` checks.

Bodies are decompressed while they are read, so that decompression stops at the limit: a small body that would inflate
to gigabytes is never inflated beyond it. Only gzip is requested and accepted: every server supports it, and the
standard library can decode it in bounded steps.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
from pydantic_core import from_json, to_json

from core.llm.failures import Dropped, Rejected, Unusable
from core.llm.retry import retry_after

PATH = "/chat/completions"
KEEP_ALIVE_SECONDS = 5.0
MAX_ERROR_BYTES = 64 * 2**10
"""Maximum bytes read from the body of an error; the rest is not read."""
PIECE_BYTES = 64 * 2**10
GZIP = ("gzip", "x-gzip")


class Wire:
    """Connections to one endpoint. Every method raises `Dropped`, `Rejected` or `Unusable`; none retries.

    It has no timeout: the caller sets deadlines. Redirects are not followed, since a request contains a student's text
    and may only go to the configured endpoint. A reply has at most `max_bytes`, decompressed. Built in the event loop.
    """

    def __init__(self, *, base_url: str, api_key: str, concurrency: int, max_bytes: int) -> None:
        self._base_url = base_url.rstrip("/")
        self._max_bytes = max_bytes
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=concurrency, keepalive_timeout=KEEP_ALIVE_SECONDS),
            headers={
                "Authorization": f"Bearer {api_key}",
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "Content-Type": "application/json",
                "User-Agent": "EduMod",
            },
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
        )

    async def post(self, body: dict[str, Any], path: str = PATH) -> object:
        """The decoded response to a request of JSON."""
        try:
            async with self._session.post(self._base_url + path, data=to_json(body), allow_redirects=False) as response:
                content = await self._read(response)
                if response.status >= 400:
                    raise Rejected(response.status, _error_in(content), retry_after(response.headers))
        except (aiohttp.ClientError, zlib.error) as error:
            raise Dropped(str(error) or type(error).__name__) from None
        try:
            return from_json(content)
        except ValueError:
            kind = response.headers.get("content-type", "unknown type")[:100]
            raise Unusable(
                f"sent a reply that is not JSON ({kind}). Check that the endpoint's URL ends in /v1"
            ) from None

    async def aclose(self) -> None:
        await self._session.close()

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """The decompressed body; of an error, its beginning.

        Raises `Rejected` for a redirect or an error with an unreadable body, `Unusable` for an unreadable reply.
        """
        encoding = response.headers.get("content-encoding", "").strip().lower()
        is_readable = encoding in ("", "identity", *GZIP)
        is_error = response.status >= 400
        if 300 <= response.status < 400 or (is_error and not is_readable):
            raise Rejected(response.status, None, retry_after(response.headers))
        if not is_readable:
            raise Unusable(f"sent a reply in the encoding {encoding[:40]!r}, although only gzip is accepted")
        pieces = response.content.iter_any()
        content, limit = bytearray(), MAX_ERROR_BYTES if is_error else self._max_bytes
        async for piece in _inflate(pieces) if encoding in GZIP else pieces:
            content += piece
            if len(content) > limit and is_error:
                break
            if len(content) > limit:
                raise Unusable(
                    f"sent a reply of more than {limit:,} bytes. Raise EDUMOD_LLM_MAX_REPLY_BYTES if the "
                    "reply was valid"
                )
        return bytes(content[:limit])


def _error_in(content: bytes) -> object:
    """What a server says of an error: its JSON, or its text."""
    try:
        body = from_json(content)
    except ValueError:
        return content.decode(errors="replace").strip()
    return body.get("error", body) if isinstance(body, dict) else body


async def _inflate(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """A gzip body in pieces of bounded size, decompressed on demand."""
    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
    async for data in pieces:
        if decompressor.eof:
            raise zlib.error("there is data after the end of the gzip stream")
        while True:
            piece = decompressor.decompress(data, PIECE_BYTES)
            if piece:
                yield piece
            data = decompressor.unconsumed_tail
            if len(piece) < PIECE_BYTES:
                break
