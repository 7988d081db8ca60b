"""Answers in the forms of OpenAI's API, whole and in pieces."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from typing import Any, TypeAlias
from uuid import uuid4

from starlette.responses import StreamingResponse

from app.answering.streaming import FIRST_SECONDS, QUIET_SECONDS, WorkStream
from app.doors.asking import DoorAnswer, LinkedCitation
from app.problems import error_document
from core.text.sentences import stream_pieces

Json: TypeAlias = dict[str, Any]
DONE = b"data: [DONE]\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def chat_completion(answer: DoorAnswer, model: str) -> Json:
    """A whole chat completion."""
    message = {"role": "assistant", "content": answer.text, "annotations": [_nested(one) for one in answer.sources]}
    choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
    return {**_head("chat.completion", model), "choices": [choice], "usage": _usage(answer), **_about(answer)}


def chat_errand(text: str, model: str) -> Json:
    """A chat completion that no run stands behind."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {**_head("chat.completion", model), "choices": [choice], "usage": usage}


def chat_chunks(answer: DoorAnswer, model: str, *, with_usage: bool) -> Iterator[Json]:
    """A chat completion in pieces; its annotations come behind the text."""
    head = _head("chat.completion.chunk", model)
    yield _chunk(head, {"role": "assistant", "content": ""})
    for piece in stream_pieces(answer.text):
        yield _chunk(head, {"content": piece})
    if answer.sources:
        yield _chunk(head, {"annotations": [_nested(one) for one in answer.sources]})
    yield {**_chunk(head, {}, "stop"), **_about(answer)}
    if with_usage:
        yield {**head, "choices": [], "usage": _usage(answer)}


def errand_chunks(text: str, model: str) -> Iterator[Json]:
    """The same without a run behind it."""
    head = _head("chat.completion.chunk", model)
    yield _chunk(head, {"role": "assistant", "content": text})
    yield _chunk(head, {}, "stop")


def response_object(answer: DoorAnswer, model: str, own_id: str | None = None) -> Json:
    """A whole response."""
    output = [_output_message(f"msg_{uuid4().hex}", answer)]
    usage = answer.response.usage
    counts = {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {**_response_head(model, own_id), "status": "completed", "output": output, "usage": counts, **_about(answer)}


def response_events(answer: DoorAnswer, model: str) -> Iterator[Json]:
    """A response in pieces, as the nine kinds of events that clients need."""
    numbers = count()

    def event(kind: str, **fields: Any) -> Json:
        return {"type": f"response.{kind}", "sequence_number": next(numbers), **fields}

    whole = response_object(answer, model)
    message = whole["output"][0]
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    part = message["content"][0]
    begun = {**_response_head(model, whole["id"]), "status": "in_progress", "output": []}
    yield event("created", response=begun)
    yield event("output_item.added", output_index=0, item={**message, "status": "in_progress", "content": []})
    yield event("content_part.added", **place, part={**part, "text": "", "annotations": []})
    for piece in stream_pieces(answer.text):
        yield event("output_text.delta", **place, delta=piece, logprobs=[])
    for number, annotation in enumerate(part["annotations"]):
        yield event("output_text.annotation.added", **place, annotation_index=number, annotation=annotation)
    yield event("output_text.done", **place, text=answer.text, logprobs=[])
    yield event("content_part.done", **place, part=part)
    yield event("output_item.done", output_index=0, item=message)
    yield event("completed", response=whole)


async def streamed(
    work: asyncio.Future[Any], pieces: Callable[[Any], Iterator[Json]], instance: str, *, named: bool
) -> StreamingResponse:
    """The work's result as server-sent events; `named` ones carry their type. What fails at once is raised."""
    await asyncio.wait({work}, timeout=FIRST_SECONDS)
    if work.done():
        work.result()
    return WorkStream(_events(work, pieces, instance, named), work, headers=HEADERS)


async def _events(
    work: asyncio.Future[Any], pieces: Callable[[Any], Iterator[Json]], instance: str, named: bool
) -> AsyncIterator[bytes]:
    try:
        while not work.done():
            yield b": working\n\n"
            await asyncio.wait({work}, timeout=QUIET_SECONDS)
        for piece in pieces(work.result()):
            yield _event(piece, named)
    except Exception as error:
        yield _event({"type": "error", **error_document(error, instance)}, named)
    if not named:
        yield DONE


def _event(data: Json, named: bool) -> bytes:
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _head(kind: str, model: str) -> Json:
    return {"id": f"chatcmpl-{uuid4().hex}", "object": kind, "created": int(time.time()), "model": model}


def _response_head(model: str, own_id: str | None) -> Json:
    head = {"id": own_id or f"resp_{uuid4().hex}", "object": "response", "created_at": int(time.time()), "model": model}
    return {**head, "parallel_tool_calls": False, "tool_choice": "none", "tools": [], "error": None, "metadata": {}}


def _chunk(head: Json, delta: Json, finish: str | None = None) -> Json:
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _output_message(own_id: str, answer: DoorAnswer) -> Json:
    annotations = [_flat(one) for one in answer.sources]
    content = [{"type": "output_text", "text": answer.text, "annotations": annotations}]
    return {"id": own_id, "type": "message", "role": "assistant", "status": "completed", "content": content}


def _flat(source: LinkedCitation) -> Json:
    place = {"start_index": source.start, "end_index": source.end}
    return {"type": "url_citation", **place, "title": source.title, "url": source.url}


def _nested(source: LinkedCitation) -> Json:
    citation = _flat(source)
    kind = citation.pop("type")
    return {"type": kind, "url_citation": citation}


def _usage(answer: DoorAnswer) -> Json:
    usage = answer.response.usage
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _about(answer: DoorAnswer) -> Json:
    """What OpenAI's API has no field for; clients ignore it."""
    return {
        "edumod": {"draft_id": answer.response.draft_id, "status": answer.response.status, "waits": answer.is_waiting}
    }
