"""An answer as server-sent events: what a run does as it does it, then the answer once it was checked.

The text of an answer is sent after the checks for staff-only texts and citations, not while the model writes
(decision 0011).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import TypeAdapter

from app.fallback import WatchRun
from app.problems import error_document
from app.schemas import AnswerResponse
from core.text.sentences import stream_pieces
from core.types import Citation, FunctionCall, Step, StepKind
from pipelines.public_trace import public_call, public_step, public_text
from pipelines.run import Run

EVENTS = {
    "call": "A course function begins to search: `id`, `name`, `arguments`.",
    "retrieval": "What it found: a step of the trace, with `passages`.",
    "usage": "A model was asked: a step of the trace, with `model` and `usage`.",
    "delta": "The next piece of the answer: `text`. All pieces together are the answer.",
    "citation": "A citation, after the piece that refers to it first.",
    "done": "The whole answer, as without streaming.",
    "error": "A problem document; nothing follows.",
}
MEDIA_TYPE = "text/event-stream"
QUIET_SECONDS = 5.0
"""After which a comment is sent, so that no proxy takes the connection for dead and a client that left is noticed."""

_DATA: TypeAdapter[Any] = TypeAdapter(Any)

Work = Callable[[WatchRun], Awaitable[AnswerResponse]]
"""Works on an answer, telling of what is done."""


@dataclass(frozen=True)
class Event:
    name: str
    data: Any


async def stream(work: Work, instance: str) -> StreamingResponse:
    """The work as a stream. An error before its first event is raised; a later one is the stream's last event.

    Where the client leaves, the work is cancelled, which keeps what was done until then.
    """
    told: asyncio.Queue[Event | None] = asyncio.Queue()
    task = asyncio.ensure_future(work(partial(_tell, told)))
    task.add_done_callback(lambda _: told.put_nowait(None))
    first = await told.get()
    if first is None:
        task.result()
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_encoded(_events(first, told, task, instance)), media_type=MEDIA_TYPE, headers=headers)


def _tell(told: asyncio.Queue[Event | None], run: Run, what: FunctionCall | Step) -> None:
    public = partial(public_text, run)
    if isinstance(what, FunctionCall):
        told.put_nowait(Event("call", public_call(what, public)))
        return
    if what.kind is StepKind.SEARCH:
        told.put_nowait(Event("retrieval", public_step(what, public)))
    if what.usage is not None:
        told.put_nowait(Event("usage", public_step(what, public)))


async def _events(
    first: Event | None, told: asyncio.Queue[Event | None], task: asyncio.Future[AnswerResponse], instance: str
) -> AsyncIterator[Event | None]:
    """The events, and None for every while in which nothing happened."""
    try:
        event = first
        while event is not None:
            yield event
            while (event := await _next(told)) is _QUIET:
                yield None
        for event in _answered(await task):
            yield event
    except Exception as error:
        yield Event("error", error_document(error, instance))
    finally:
        task.cancel()


_QUIET = Event("", None)


async def _next(told: asyncio.Queue[Event | None]) -> Event | None:
    try:
        return await asyncio.wait_for(told.get(), QUIET_SECONDS)
    except TimeoutError:
        return _QUIET


def _answered(response: AnswerResponse) -> Iterator[Event]:
    left = list(response.citations)
    for piece in stream_pieces(response.answer):
        yield Event("delta", {"text": piece})
        for citation in [one for one in left if f"[{one.number}]" in piece]:
            yield _cited(citation, left)
    for citation in list(left):
        yield _cited(citation, left)
    yield Event("done", response)


def _cited(citation: Citation, left: list[Citation]) -> Event:
    left.remove(citation)
    return Event("citation", citation)


async def _encoded(events: AsyncIterator[Event | None]) -> AsyncIterator[bytes]:
    numbers = count(1)
    async for event in events:
        if event is None:
            yield format_sse_event(comment="working")
        else:
            data = _DATA.dump_json(event.data, exclude_none=isinstance(event.data, Step)).decode()
            yield format_sse_event(data_str=data, event=event.name, id=str(next(numbers)))
