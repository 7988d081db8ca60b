"""How a run's answer is sent: whole, as a stream of events, or later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Header, Request, Response

from app.answering.deferred import prefers_async, respond_async
from app.answering.streaming import MEDIA_TYPE, replay_headers, stream
from app.edge.accept import accepts
from app.response import AnswerResponse

IdempotencyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        description="Repeating a request with its key returns the same answer.",
    ),
]
PreferHeader = Annotated[
    str | None,
    Header(description="`respond-async` gives 202 with the draft's address as soon as the question is stored."),
]


async def deliver(
    work: Callable[..., Awaitable[AnswerResponse]], http: Request, prefer: str | None, response: Response
) -> AnswerResponse | Response:
    """The answer, with the headers of a replay in `response`; or the response that streams or defers it."""
    if accepts(MEDIA_TYPE, http):
        return await stream(work, http.url.path)
    if prefers_async(prefer):
        return await respond_async(work)
    answered = await work()
    response.headers.update(replay_headers(answered))
    return answered
