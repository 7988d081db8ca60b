"""The id of a request: in its response, its problem documents and the log."""

from __future__ import annotations

import secrets
from contextvars import ContextVar

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "X-Request-ID"

_current: ContextVar[str | None] = ContextVar("request_id", default=None)


def current() -> str | None:
    """The id of the current request; None outside of one."""
    return _current.get()


def new() -> str:
    """16 hexadecimal digits. Ids sent by clients are ignored: they would let clients write into the log."""
    return secrets.token_hex(8)


class RequestId:
    """ASGI middleware: gives each request an id, and each response the header with it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = new()
        # Not reset: the server runs each request in its own task and context.
        _current.set(request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        await self.app(scope, receive, send_with_id)
