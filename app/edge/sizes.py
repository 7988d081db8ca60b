"""Refuses requests whose URL, headers or body exceed a limit, before they are parsed."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.edge.json_shape import MAX_DEPTH, MAX_VALUES, is_too_large
from app.edge.requester import requester_of
from app.problems import problem
from core.errors import Overloaded, TooLarge

MAX_URL_BYTES = 8_192
MAX_QUERY_PARAMETERS = 100
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32_768
MAX_FORM_BYTES = 2**19
"""Enough for the longest question with every character percent-encoded; a form has no images."""
MAX_FORM_FIELDS = 1000
"""Without scripts, each sentence that is struck from a draft is a field."""
MAX_BODIES = 64
"""Memory limit for all bodies together, as a number of bodies of the largest size."""
MAX_OWN_BODIES = 16
"""The same for the bodies of one person, key or address."""
LARGE_BYTES = 2**18
"""Of a body that takes milliseconds to check, and again to parse: others get a chance between."""
FORMS = (b"application/x-www-form-urlencoded", b"multipart/form-data")
UTF8 = ("utf-8", "utf-8-sig")


class HeadLimit:
    """ASGI middleware: answers 414, 413 or 431 for a long URL, query or header, and 404 for a line feed at the end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := _head_problem(scope)):
            await refused(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _head_problem(scope: Scope) -> Response | None:
    path, query = scope["path"], scope["query_string"]
    if len(scope["raw_path"]) + len(query) > MAX_URL_BYTES:
        return problem(414, "too-large", f"The URL is longer than {MAX_URL_BYTES:,} bytes. Shorten it.", path[:100])
    if query.count(b"&") >= MAX_QUERY_PARAMETERS:
        return problem(413, "too-large", f"The query has over {MAX_QUERY_PARAMETERS} parameters. Send fewer.", path)
    if path.endswith("\n"):
        # Routes would take it for the address without, and what looks at addresses before them would not.
        return problem(404, "not-found", "There is no such address: it ends with a line feed.", path[:100])
    headers = scope["headers"]
    if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
        detail = f"At most {MAX_HEADERS} headers and {MAX_HEADER_BYTES:,} bytes of them are allowed. Send fewer."
        return problem(431, "too-large", detail, path)
    return None


class BodyLimit:
    """ASGI middleware: reads the body, and refuses it for its length, number of values, depth or encoding.

    Answers 413 or 400, and raises `TooLarge` and `Overloaded` while reading.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self._bytes: Counter[str] = Counter()
        """Held now, by requester."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Of a repeated header the first counts, as in the routes.
        headers = dict(reversed(scope["headers"])) if scope["type"] == "http" else {}
        declared = headers.get(b"content-length", b"0")
        if declared == b"0" and b"transfer-encoding" not in headers:
            await self.app(scope, receive, send)
            return
        media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        limit = min(self.max_bytes, MAX_FORM_BYTES) if media_type in FORMS else self.max_bytes
        if int(declared) > limit:
            raise self._too_long(limit)
        body, requester = bytearray(), requester_of(scope)
        try:
            await self._read(receive, body, limit, requester)
            refused = _content_problem(media_type, body, scope["path"])
            if len(body) > LARGE_BYTES:
                await asyncio.sleep(0)
            if refused:
                await refused(scope, receive, send)
            else:
                await self.app(scope, _replayed(bytes(body), receive), send)
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
        remedy = "raise EDUMOD_MAX_REQUEST_BYTES" if limit == self.max_bytes else "use POST /answer"
        return TooLarge(f"The request is larger than {limit:,} bytes. Shorten it, or {remedy}.")


def _content_problem(media_type: bytes, body: bytearray, path: str) -> Response | None:
    if media_type in FORMS:
        return _form_problem(media_type, body, path)
    # Python's parser would also accept UTF-16 and UTF-32, whose values cannot be counted by bytes.
    if json.detect_encoding(body) not in UTF8:
        return problem(400, "not-json", "The request body cannot be read: not UTF-8.", path)
    if is_too_large(body):
        detail = f"A body has at most {MAX_VALUES:,} values, nested at most {MAX_DEPTH} deep. Send less at once."
        return problem(413, "too-large", detail, path)
    return None


def _form_problem(media_type: bytes, body: bytearray, path: str) -> Response | None:
    # The fields of a multipart form are counted by its parser.
    if media_type == FORMS[0] and body.count(b"&") >= MAX_FORM_FIELDS:
        return problem(413, "too-large", f"A form has at most {MAX_FORM_FIELDS} fields. Send fewer.", path)
    return None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that repeats the body that was read, and then passes on later messages."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
