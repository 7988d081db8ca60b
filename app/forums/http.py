"""Requests to a forum: one at a time, within its rate, and every reply that is none becomes a typed error."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypedDict, Unpack
from urllib.parse import urlencode

from app.forums.shape import Denied, ForumRefused, Gone, Limited, Unsure

MAX_REPLY_BYTES = 8 * 2**20
MINUTE = 60.0
_LIMIT_WORDS = ("rate limit", "throttl", "too many requests")


@dataclass(frozen=True)
class ForumRequest:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    @property
    def writes(self) -> bool:
        return self.method not in ("GET", "HEAD")


@dataclass(frozen=True)
class ForumResponse:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """By names in lower case."""
    body: bytes = b""


class ForumTransport(Protocol):
    """Sends a request as it is: no redirects, no retries. Raises `OSError` and `TimeoutError`."""

    async def send(self, request: ForumRequest, max_bytes: int = MAX_REPLY_BYTES) -> ForumResponse: ...


@dataclass
class Throttle:
    """At most so many requests in any minute. Those that come too early wait."""

    a_minute: int
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _sent: deque[float] = field(default_factory=deque, repr=False)

    async def turn(self) -> None:
        while len(self._sent) >= self.a_minute:
            wait = self._sent[0] + MINUTE - self.clock()
            if wait > 0:
                await self.sleep(wait)
            if self._sent[0] + MINUTE <= self.clock():
                self._sent.popleft()
        self._sent.append(self.clock())


class Sent(TypedDict, total=False):
    """What goes along with a request: `content` is sent as JSON, `form` as a form."""

    query: Mapping[str, Any] | None
    content: Any
    form: Mapping[str, Any] | None


@dataclass
class ForumHttp:
    """The requests of one adapter."""

    transport: ForumTransport
    base_url: str
    throttle: Throttle
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The JSON of a reply. Raises `ForumError`."""
        return await self.json("GET", path, query=query)

    async def json(self, method: str, path: str, **sent: Unpack[Sent]) -> Any:
        """The JSON of a reply; None for an empty one. Raises `ForumError`."""
        return read_json(await self.call(method, path, **sent))

    async def call(self, method: str, path: str, **sent: Unpack[Sent]) -> ForumResponse:
        """A reply with a status of success. Raises `ForumError`."""
        url = path if path.startswith(("https://", "http://")) else self.base_url.rstrip("/") + path
        if not url.startswith(self.base_url.rstrip("/") + "/"):
            raise ForumRefused("The forum named an address on another host.")
        query, content, form = sent.get("query"), sent.get("content"), sent.get("form")
        headers, body = dict(self.headers), b""
        if query:
            url += ("&" if "?" in url else "?") + urlencode(
                {k: v for k, v in query.items() if v is not None}, doseq=True
            )
        if content is not None:
            headers["Content-Type"], body = "application/json", json.dumps(content, ensure_ascii=False).encode()
        elif form is not None:
            headers["Content-Type"], body = "application/x-www-form-urlencoded", urlencode(form, doseq=True).encode()
        return checked(await self.send(ForumRequest(method, url, headers, body)))

    async def send(self, request: ForumRequest) -> ForumResponse:
        """Raises `Unsure` where there is no reply."""
        async with self._lock:
            await self.throttle.turn()
            try:
                return await self.transport.send(request)
            except TimeoutError as error:
                raise Unsure("The forum did not answer in time.") from error
            except OSError as error:
                raise Unsure(f"The forum cannot be reached: {type(error).__name__}.") from error


def read_json(response: ForumResponse) -> Any:
    """The JSON of a reply; None for an empty one. Raises `Unsure`."""
    if not response.body.strip():
        return None
    try:
        return json.loads(response.body)
    except ValueError as error:
        raise Unsure("The forum's reply is no JSON.") from error


def checked(response: ForumResponse) -> ForumResponse:
    """The response if its status is one of success. Raises `ForumError`."""
    status = response.status
    if 200 <= status < 300:
        return response
    if status == 429 or (status == 403 and _says_limit(response)):
        raise Limited(f"The forum takes no more requests for now (HTTP {status}).", retry_after(response))
    if status in (401, 403):
        raise Denied(f"The forum refuses the account (HTTP {status}). Check its token and rights.")
    if status >= 500 or status == 408 or 300 <= status < 400:  # Many programs redirect after a write.
        raise Unsure(f"The forum failed (HTTP {status}).")
    if status in (404, 410) and _is_json(response.body):  # A page of HTML may come from a proxy.
        raise Gone(f"The forum has nothing there (HTTP {status}).")
    raise ForumRefused(f"The forum refused the request (HTTP {status}).", _code(response.body))


def _code(body: bytes) -> str:
    """The forum's word for an error, if there is one."""
    try:
        return str(json.loads(body)["code"])
    except (ValueError, KeyError, TypeError):
        return ""


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def _says_limit(response: ForumResponse) -> bool:
    text = response.body[:2_000].decode(errors="replace").casefold()
    return any(words in text for words in _LIMIT_WORDS)


def retry_after(response: ForumResponse) -> float | None:
    """Seconds to wait: of the header, a number or a date, or of a body as Discourse sends it."""
    value = response.headers.get("retry-after", "").strip()
    if value:
        try:
            return max(0.0, float(value))
        except ValueError:
            try:
                return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
            except ValueError:
                return None
    try:
        seconds = json.loads(response.body)["extras"]["wait_seconds"]
        return max(0.0, float(seconds))
    except (ValueError, KeyError, TypeError):
        return None
