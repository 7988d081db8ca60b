"""Reads the bodies of requests within limits, before they are parsed."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from app.edge.json_shape import MAX_DEPTH, MAX_VALUES, is_too_large
from app.problems import Refused
from core.errors import Overloaded, TooLarge

MAX_FORM_BYTES = 2**19
"""Enough for the longest question with every character percent-encoded; a form with images is multipart."""
MAX_FORM_FILES = 10
"""Pictures of a question or of homework."""
MAX_UPLOAD_FILES = 200
"""Files of a course that are sent at once."""
MAX_FORM_FIELDS = 1000
"""Without scripts, each sentence that is struck from a draft is a field."""
MAX_BODIES = 64
"""Memory limit for all bodies together, as a number of bodies of the largest size."""
MAX_OWN_BODIES = 16
"""The same for the bodies of one person, key or address."""
LARGE_BYTES = 2**18
"""Of a body that takes milliseconds to check, and again to parse: others get a chance between."""
FORMS = (b"application/x-www-form-urlencoded", b"multipart/form-data")
UPLOADS = re.compile(r"/ingest|/courses/[^/]+/files")
"""Where files of a course are sent."""
UTF8 = ("utf-8", "utf-8-sig")


class Bodies:
    """Reads the bodies of requests, and refuses them for their length, number of values, depth or encoding."""

    def __init__(self, max_bytes: int, max_upload_bytes: int = 0) -> None:
        self.max_bytes = max_bytes
        self.max_upload_bytes = max(max_bytes, max_upload_bytes)
        self._bytes: Counter[str] = Counter()
        """Held now, by requester."""

    @asynccontextmanager
    async def read(self, scope: Scope, receive: Receive, requester: str) -> AsyncIterator[Receive]:
        """A `receive` that repeats the body, which is held in memory until the context ends.

        Raises `Refused`, `TooLarge` and `Overloaded`.
        """
        # Of a repeated header the first counts, as in the routes.
        headers = dict(reversed(scope["headers"]))
        declared = headers.get(b"content-length", b"0")
        if declared == b"0" and b"transfer-encoding" not in headers:
            yield receive
            return
        media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        limit = self.max_upload_bytes if UPLOADS.fullmatch(scope["path"]) else self.max_bytes
        limit = min(limit, MAX_FORM_BYTES) if media_type == FORMS[0] else limit
        if int(declared) > limit:
            raise self._too_long(limit)
        body = bytearray()
        try:
            await self._read(receive, body, limit, requester)
            _check_content(media_type, body, scope["path"])
            if len(body) > LARGE_BYTES:
                await asyncio.sleep(0)
            yield _repeat(bytes(body), receive)
        finally:
            self._bytes[requester] -= len(body)
            if not self._bytes[requester]:
                del self._bytes[requester]

    async def _read(self, receive: Receive, body: bytearray, limit: int, requester: str) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece, more = message.get("body", b""), message.get("more_body", False)
            body += piece
            self._bytes[requester] += len(piece)
            if len(body) > limit:
                raise self._too_long(limit)
            self._check_memory(requester)

    def _check_memory(self, requester: str) -> None:
        """Raises `Overloaded` where the bodies of the requester, or of all, are too many."""
        for size, number in ((self._bytes[requester], MAX_OWN_BODIES), (self._bytes.total(), MAX_BODIES)):
            if size > (reserved := number * self.max_bytes):
                detail = f"The bodies of concurrent requests fill the {reserved:,} bytes reserved for them"
                raise Overloaded(f"{detail} ({number} times EDUMOD_MAX_REQUEST_BYTES). Try again later.")

    def _too_long(self, limit: int) -> TooLarge:
        remedies = {
            self.max_upload_bytes: "Send fewer files at a time, raise EDUMOD_MAX_UPLOAD_BYTES, or use `edumod ingest`.",
            self.max_bytes: "Shorten it, or raise EDUMOD_MAX_REQUEST_BYTES.",
        }
        return TooLarge(
            f"The request is larger than {limit:,} bytes. {remedies.get(limit, 'Shorten it, or use POST /answer.')}"
        )


def _check_content(media_type: bytes, body: bytearray, path: str) -> None:
    """Raises `Refused` for a body that cannot be read, or has too many parts."""
    if media_type in FORMS:
        # The fields of a multipart form are counted by its parser.
        if media_type == FORMS[0] and body.count(b"&") >= MAX_FORM_FIELDS:
            raise Refused(413, "too-large", f"A form has at most {MAX_FORM_FIELDS} fields. Send fewer.", path)
        return
    # Python's parser would also accept UTF-16 and UTF-32, whose values cannot be counted by bytes.
    if json.detect_encoding(body) not in UTF8:
        raise Refused(400, "not-json", "The request body cannot be read: not UTF-8.", path)
    if is_too_large(body):
        detail = f"A body has at most {MAX_VALUES:,} values, nested at most {MAX_DEPTH} deep. Send less at once."
        raise Refused(413, "too-large", detail, path)


def _repeat(body: bytes, receive: Receive) -> Receive:
    """A `receive` that repeats the body that was read, and then passes on later messages."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def repeated() -> Message:
        return messages.pop() if messages else await receive()

    return repeated
