"""An answer as server-sent events: the steps of the run as they happen, then the checked answer.

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
from starlette.types import Receive, Scope, Send

from app.answering.fallback import WatchRun
from app.problems import error_document
from app.response import AnswerResponse
from core.concurrency import in_thread
from core.text.sentences import stream_pieces
from core.types import Citation, FunctionCall, Step, StepKind
from pipelines.public_trace import public_event
from pipelines.run import Run

MEDIA_TYPE = "text/event-stream"
REPLAYED = "Idempotent-Replayed"
"""Header of a response that repeats the answer to an earlier request with its Idempotency-Key."""
FIRST_SECONDS = 1.0
"""Time until the first sign of life. What fails before is a problem with its own status."""
QUIET_SECONDS = 5.0
"""Interval of comments while nothing happens: they keep proxies from closing the connection and detect lost clients."""

_DATA: TypeAdapter[Any] = TypeAdapter(Any)

Work = Callable[[WatchRun], Awaitable[AnswerResponse]]
"""Produces an answer, and calls its argument for each call and step."""


@dataclass(frozen=True)
class Event:
    name: str
    data: Any


@dataclass(frozen=True)
class Progress:
    """A call or step of a run with unchecked texts, and the function that checks them."""

    names: tuple[str, ...]
    what: FunctionCall | Step
    public: Callable[[FunctionCall | Step], FunctionCall | Step]
    holds_secrets: bool


Queue = asyncio.Queue[Progress | None]
"""None marks the end of the work."""
_QUIET = Progress((), FunctionCall(id="", name="", arguments={}), lambda what: what, holds_secrets=False)


class WorkStream(StreamingResponse):
    """A stream whose work ends with it, also where its client left before it began."""

    def __init__(self, content: AsyncIterator[bytes], task: asyncio.Future[AnswerResponse], **options: Any) -> None:
        super().__init__(content, media_type=MEDIA_TYPE, **options)
        self._task = task

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._task.cancel()


async def stream(work: Work, instance: str) -> StreamingResponse:
    """The work as a stream, which begins with its first event, or with a comment after `FIRST_SECONDS` without one.

    An error before that is raised; a later one is the stream's last event. If the client disconnects, the work is
    cancelled, and its draft and trace so far are stored.
    """
    queue: Queue = asyncio.Queue()
    task = asyncio.ensure_future(work(partial(_enqueue, queue)))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        first = await _next(queue, FIRST_SECONDS)
    except asyncio.CancelledError:
        task.cancel()
        raise
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if first is None:
        headers |= replay_headers(task.result())
    return WorkStream(_encoded(_events(first, queue, task, instance)), task, headers=headers)


def replay_headers(response: AnswerResponse) -> dict[str, str]:
    """What tells a client that it got this answer before."""
    return {REPLAYED: "true"} if response.is_replay else {}


def _enqueue(queue: Queue, run: Run, what: FunctionCall | Step) -> None:
    """Called on the event loop during the run; the texts are checked later, by the stream."""
    if names := _names(what):
        holds_secrets = run.holds_secrets()
        before: tuple[FunctionCall | Step, ...] = (*run.steps, *run.calls) if holds_secrets else ()
        queue.put_nowait(Progress(names, what, partial(public_event, run.public(), before), holds_secrets))


def _names(what: FunctionCall | Step) -> tuple[str, ...]:
    """Names of the events for a call or step."""
    if isinstance(what, FunctionCall):
        return ("call",)
    events = {"retrieval": what.kind is StepKind.SEARCH, "usage": what.usage is not None}
    return tuple(name for name, applies in events.items() if applies)


async def _public(progress: Progress) -> list[Event]:
    """The events of a call or step, made in a thread if there are secrets to look for."""
    check = partial(progress.public, progress.what)
    shown = await in_thread(check) if progress.holds_secrets else check()
    return [Event(name, shown) for name in progress.names]


async def _events(
    first: Progress | None, queue: Queue, task: asyncio.Future[AnswerResponse], instance: str
) -> AsyncIterator[Event | None]:
    """The events, and None whenever nothing happened for `QUIET_SECONDS`."""
    try:
        progress = first
        while progress is not None:
            if progress is _QUIET:
                yield None
            else:
                for event in await _public(progress):
                    yield event
            progress = await _next(queue, QUIET_SECONDS)
        for event in _answered(await task):
            yield event
    except Exception as error:
        yield Event("error", error_document(error, instance))
    finally:
        task.cancel()


async def _next(queue: Queue, seconds: float) -> Progress | None:
    """What comes next, or `_QUIET` if nothing does in that time."""
    try:
        return await asyncio.wait_for(queue.get(), seconds)
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
            unused = {name for name, value in event.data if value is None} if isinstance(event.data, Step) else None
            data = _DATA.dump_json(event.data, exclude=unused).decode()
            yield format_sse_event(data_str=data, event=event.name, id=str(next(numbers)))
