"""What the log says of a start or an end of the service that failed."""

from __future__ import annotations

import asyncio
import sys

from starlette.types import Message, Send

from core.errors import EduModError


def plain_failures(send: Send) -> Send:
    """Has the server log the message of a typed error, where Starlette sends a traceback.

    Of an end that the operator cut short, nothing is logged. The traceback of an unexpected error stays.
    """

    async def send_plain(message: Message) -> None:
        error = sys.exc_info()[1]
        if message["type"].endswith(".failed") and isinstance(error, EduModError | asyncio.CancelledError):
            message = {**message, "message": str(error) if isinstance(error, EduModError) else ""}
        await send(message)

    return send_plain
