"""What the log says of a start or an end of the service that failed."""

from __future__ import annotations

import asyncio
import sys

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import EduModError


class PlainFailures:
    """ASGI middleware: has the server log the message of a typed error, where Starlette sends a traceback.

    Of an end that the operator cut short, nothing is logged. The traceback of an unexpected error stays.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def plain(message: Message) -> None:
            error = sys.exc_info()[1]
            if message["type"].endswith(".failed") and isinstance(error, EduModError | asyncio.CancelledError):
                message = {**message, "message": str(error) if isinstance(error, EduModError) else ""}
            await send(message)

        await self.app(scope, receive, plain)
