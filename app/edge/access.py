"""One log line and one measurement for each request."""

from __future__ import annotations

import logging
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.operation.logs import ACCESS, access_line
from app.operation.measures import Measures

NO_RESPONSE = 499
"""Status of a request whose client left before its response began, as nginx has it."""
REFUSED = "refused"
"""In the state of a request: the status that the server sent in place of the app."""
log = logging.getLogger(ACCESS)


class Observed:
    """ASGI middleware: logs and measures each request when its response, streamed or not, has ended.

    Only the template of an address is recorded: an address may hold what a student wrote.
    """

    def __init__(self, app: ASGIApp, measures: Measures) -> None:
        self.app = app
        self.measures = measures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = perf_counter()
        status, sent = NO_RESPONSE, 0

        async def counting(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                sent += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, counting)
        finally:
            seconds = perf_counter() - started
            if status == NO_RESPONSE:
                status = scope.get("state", {}).get(REFUSED, NO_RESPONSE)
            method, route = scope["method"], _template(scope)
            self.measures.requested(method, route, status, seconds)
            access_line(log, method=method, route=route, status=status, ms=1000 * seconds, sent=sent)


def _template(scope: Scope) -> str | None:
    """The template of the route that was chosen, such as `/traces/{trace_id}`; None if there was none."""
    return getattr(scope.get("route"), "path", None)
