"""The function calls of one run, and the passages found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import zip_longest

from core.errors import NoMaterial, public_reason
from core.llm.base import LLM
from core.llm.task import CallResult
from core.types import FunctionCall, Passage, StepKind
from pipelines.running.asking import Asking
from pipelines.running.deadline import Deadline
from pipelines.running.trace import Trace, found

Search = Callable[[FunctionCall, LLM], Awaitable[Sequence[Passage]]]
"""Runs a call, with a model for retrievers that use one. Raises `NoMaterial` if there is nothing to search."""
CUT_OFF = "Stopped, since time ran short."


class Searches:
    """Runs each distinct call once. `history` holds the rounds of a run, each with its calls and their results."""

    def __init__(
        self, search: Search, retrievers: Mapping[str, str], asking: Asking, deadline: Deadline, trace: Trace
    ) -> None:
        self.history: list[tuple[CallResult, ...]] = []
        self._search = search
        self._retrievers = retrievers
        self._asking = asking
        self._deadline = deadline
        self._trace = trace
        self._under_way: dict[str, asyncio.Task[CallResult]] = {}
        self._merged: tuple[int, tuple[Passage, ...]] = (0, ())
        """The number of merged rounds of the history, and their passages."""

    def __len__(self) -> int:
        return len(self._under_way)

    def has(self, call: FunctionCall) -> bool:
        """True if an equal call was run."""
        return key(call) in self._under_way

    async def run(self, calls: Sequence[FunctionCall]) -> list[Exception]:
        """Run the calls concurrently as a round of the history; returns the errors of failed calls."""
        for call in calls:
            if not self.has(call):
                self._under_way[key(call)] = asyncio.create_task(self._searched(call))
        searches = [self._under_way[key(call)] for call in calls]
        try:
            results = [await _outcome(search) for search in searches]
        except asyncio.CancelledError:
            for search in searches:
                search.cancel()
            await asyncio.wait(searches)  # Each records its usage.
            raise
        if results:
            round_results = (
                CallResult(call=call, error=f"The search failed: {public_reason(result)}")
                if isinstance(result, Exception)
                else result.model_copy(update={"call": call})
                for call, result in zip(calls, results, strict=True)
            )
            self.history.append(tuple(round_results))
        return [result for result in results if isinstance(result, Exception)]

    @property
    def found(self) -> tuple[Passage, ...]:
        """All distinct passages: the best of each call first, then the second of each, and so on."""
        rounds, found = self._merged
        if rounds != len(self.history):
            ranked = zip_longest(*(result.passages for round_ in self.history for result in round_))
            merged: dict[str, Passage] = {}
            for passage in (one for rank in ranked for one in rank if one is not None):
                merged.setdefault(passage.block_id, passage)
            found = tuple(merged.values())
            self._merged = (len(self.history), found)
        return found

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The distinct calls that were run, in order."""
        ran = (result.call for round_ in self.history for result in round_ if self.has(result.call))
        once: dict[str, FunctionCall] = {}
        for call in ran:
            once.setdefault(key(call), call)
        return tuple(once.values())

    async def _searched(self, call: FunctionCall) -> CallResult:
        meter = self._asking.meter()
        self._trace.watch(call)
        with self._trace.step(StepKind.SEARCH) as details:
            details |= {
                "function": call.name,
                "arguments": call.arguments,
                "retriever": self._retrievers.get(call.name),
            }
            try:
                async with asyncio.timeout(self._deadline.to_search):
                    passages = tuple(await self._search(call, meter))
            except (NoMaterial, TimeoutError) as error:
                details["note"] = str(error) or CUT_OFF
                return CallResult(call=call, error=details["note"])
            finally:
                details["usage"] = meter.total
            details["passages"] = found(passages)
        return CallResult(call=call, passages=passages)


async def _outcome(search: asyncio.Task[CallResult]) -> CallResult | Exception:
    try:
        return await search
    except Exception as error:
        return error


def key(call: FunctionCall) -> str:
    """Equal for calls of the same function with the same arguments."""
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
