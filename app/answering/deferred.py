"""`Prefer: respond-async` (RFC 7240): the question is stored, and answered after the response."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.background import BackgroundTask

from app.response import AnswerResponse
from core.errors import EduModError

ASYNC = "respond-async"
log = logging.getLogger("edumod")


class AcceptedOut(BaseModel):
    """A question that is being answered."""

    draft_id: str
    draft_url: str


ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": AcceptedOut, "description": "With `Prefer: respond-async`: the question is stored. Read the draft."}
}


def prefers_async(prefer: str | None) -> bool:
    """True where a request prefers not to wait."""
    return ASYNC in [one.strip().lower() for one in (prefer or "").split(",")]


async def respond_async(work: Callable[..., Awaitable[AnswerResponse]]) -> Response:
    """202 with the draft's address; a question that was answered before, or cannot be taken, is answered as usual.

    The work goes on behind the response, within the request, so that it keeps its permit.
    """
    accepted: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    running = asyncio.ensure_future(work(accepted=accepted.set_result))
    first: list[asyncio.Future[Any]] = [accepted, running]
    await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
    if not accepted.done():
        return JSONResponse((await running).model_dump(mode="json"))
    found = AcceptedOut(draft_id=accepted.result(), draft_url=f"/drafts/{accepted.result()}")
    headers = {"Location": found.draft_url, "Preference-Applied": ASYNC}
    return JSONResponse(found.model_dump(), 202, headers, background=BackgroundTask(_finish, running))


async def _finish(running: asyncio.Future[AnswerResponse]) -> None:
    """Wait for the work. What it failed with is in the draft."""
    try:
        await running
    except EduModError as error:
        log.warning("A question that was accepted could not be answered: %s", error.code)
