"""Caches a model's replies on disk, so that no call is paid for twice."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.concurrency import SingleFlight, in_thread
from core.files import write_atomically
from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.prompt import render
from core.llm.task import Choice, Out, Task, ToolTask, YesNoTask
from core.private_files import make_private
from core.types import Usage

GRACE_SECONDS = 10.0
"""How long a call without a waiting caller may continue: it is paid for, so its reply is worth caching."""

T = TypeVar("T")
log = logging.getLogger("edumod")


class CacheEntry(BaseModel):
    """A file of the cache."""

    key: str
    model: str
    usage: Usage
    value: Any
    opaque: list[dict[str, Any]] = []
    """Of the calls of a choice, see `FunctionCall`."""


class _SharedReply(Generic[T]):
    """A reply for several callers. Only the first gets its usage, so that a sum over all counts the call once."""

    def __init__(self, reply: Reply[T]) -> None:
        self._reply = reply

    def take(self) -> Reply[T]:
        reply, self._reply = self._reply, _free(self._reply)
        return reply


class _Kind(Generic[T]):
    """The type of a reply with its schema, which takes longer to derive than the rest of a key."""

    def __init__(self, output: Any) -> None:
        self.adapter: TypeAdapter[T] = TypeAdapter(output)
        self.schema = self.adapter.json_schema()

    @staticmethod
    @cache
    def of(output: Any) -> _Kind[Any]:
        return _Kind(output)


class Cached:
    """Replies from disk to calls with the same model, messages, schema and sampling parameters as an earlier one.

    A cached reply costs nothing: its usage has only `cached_calls`. Errors, and calls with a temperature above
    0 but no seed, which want a fresh sample each time, are not cached. Several threads and processes may share one
    folder. Concurrent identical calls in one event loop become one call. A call whose callers were all cancelled has
    `grace` seconds to finish and be cached; `aclose` waits for it.

    `endpoint` identifies the endpoint and the parameters of every call there; it is part of the key, so that models
    of the same name at different endpoints never share replies.
    """

    def __init__(self, llm: LLM, folder: Path, *, endpoint: str = "", grace: float = GRACE_SECONDS) -> None:
        self._llm = llm
        self._endpoint = endpoint
        self._folder = folder
        self._calls: SingleFlight[_SharedReply[Any]] = SingleFlight(grace=grace)

    @property
    def model(self) -> str:
        return self._llm.model

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        return await self._cached(
            "run", task, sampling, _Kind.of(task.output_type()), lambda: self._llm.run(task, sampling)
        )

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        return await self._cached(
            "probability", task, sampling, _Kind.of(float), lambda: self._llm.probability(task, sampling)
        )

    async def aclose(self) -> None:
        await self._calls.aclose()
        await self._llm.aclose()

    async def _cached(
        self,
        method: str,
        task: Task[Any],
        sampling: Sampling,
        kind: _Kind[T],
        call: Callable[[], Awaitable[Reply[T]]],
    ) -> Reply[T]:
        if sampling.temperature and sampling.seed is None:
            return await call()
        key = _key(method, self._endpoint, task, sampling.model or self.model, sampling, kind)
        return (await self._calls.do(key, lambda: self._fetch(key, kind, call))).take()

    async def _fetch(self, key: str, kind: _Kind[T], call: Callable[[], Awaitable[Reply[T]]]) -> _SharedReply[T]:
        path = self._folder / key[:2] / f"{key}.json"
        found = await in_thread(_read, path, key, kind)
        if found:
            return _SharedReply(found)
        reply = await call()
        value = kind.adapter.dump_python(reply.value, mode="json", by_alias=True)
        opaque = [call.opaque for call in reply.value.calls] if isinstance(reply.value, Choice) else []
        entry = CacheEntry(key=key, model=reply.model, usage=reply.usage, value=value, opaque=opaque)
        await in_thread(_write, path, entry)
        return _SharedReply(reply)


def _key(method: str, endpoint: str, task: Task[Any], model: str, sampling: Sampling, kind: _Kind[Any]) -> str:
    parts: dict[str, Any] = {
        "method": method,
        "endpoint": endpoint,
        "model": model,
        "task": task.name(),
        "version": task.prompt_version,
        "messages": render(task),
        "output": kind.schema,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
    }
    if isinstance(task, ToolTask):
        parts |= {"functions": [spec.model_dump() for spec in task.functions], "required": task.required}
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _free(reply: Reply[T]) -> Reply[T]:
    return replace(reply, usage=Usage(cached_calls=reply.usage.calls + reply.usage.cached_calls))


def _read(path: Path, key: str, kind: _Kind[T]) -> Reply[T] | None:
    """The entry as a reply; None if it does not exist or cannot be read."""
    try:
        entry = CacheEntry.model_validate_json(path.read_bytes())
        if entry.opaque:
            for call, opaque in zip(entry.value["calls"], entry.opaque, strict=True):
                call["opaque"] = opaque
        value = kind.adapter.validate_json(json.dumps(entry.value))
    except (OSError, ValidationError, ValueError, KeyError, TypeError):
        return None
    return _free(Reply(value=value, model=entry.model, usage=entry.usage)) if entry.key == key else None


def _write(path: Path, entry: CacheEntry) -> None:
    """Write the entry. A failure is logged."""
    try:
        # Replies can repeat solutions from prompts, so folders made by earlier versions become private too.
        for folder in (path.parent.parent, path.parent):
            make_private(folder)
        # Not durable: an entry that a power failure left empty counts as missing.
        write_atomically(path, entry.model_dump_json().encode(), durable=False)
    except (OSError, ValueError) as error:
        log.warning("The reply could not be cached in %s: %s", path, error)
