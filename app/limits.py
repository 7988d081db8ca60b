"""Refuses request bodies over the limit before anything parses them."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import problem


class BodyLimit:
    """ASGI middleware: answers 413 by the declared length, or as soon as more than the limit has arrived."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self.max_bytes:
            await problem(413, "too-large", self._detail, scope["path"])(scope, receive, send)
        else:
            await self.app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.max_bytes:
                # An HTTPException passes through the framework's own handling of unreadable bodies.
                raise HTTPException(413, self._detail)
            return message

        return counted

    @property
    def _detail(self) -> str:
        return f"The request is larger than {self.max_bytes:,} bytes. Shorten it, or raise EDUMOD_MAX_REQUEST_BYTES."
