"""The function calls of one run, and the passages found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import chain, zip_longest

from core.errors import NoMaterial, public_reason
from core.llm.base import LLM
from core.llm.task import CallResult
from core.types import FunctionCall, Passage, StepKind
from pipelines.running.deadline import Deadline
from pipelines.running.model import RunModel
from pipelines.running.trace import Trace, traced_passages

Search = Callable[[FunctionCall, LLM], Awaitable[Sequence[Passage]]]
"""Runs a call, with a model for retrievers that use one. Raises `NoMaterial` if there is nothing to search."""
CUT_OFF = "Stopped, since time ran short."


class Searches:
    """Runs each distinct call once. `history` holds the rounds of a run, each with its calls and their results."""

    def __init__(
        self, search: Search, retrievers: Mapping[str, str], model: RunModel, deadline: Deadline, trace: Trace
    ) -> None:
        self.history: list[tuple[CallResult, ...]] = []
        self._search = search
        self._retrievers = retrievers
        self._model = model
        self._deadline = deadline
        self._trace = trace
        self._under_way: dict[str, asyncio.Task[CallResult]] = {}
        self._merged: tuple[int, tuple[Passage, ...]] = (0, ())
        """The number of merged rounds of the history, and their passages."""

    def __len__(self) -> int:
        return len(self._under_way)

    def has(self, call: FunctionCall) -> bool:
        """True if an equal call was run."""
        return call_key(call) in self._under_way

    async def run(self, calls: Sequence[FunctionCall]) -> list[Exception]:
        """Run the calls concurrently as a round of the history; returns the errors of failed calls."""
        for call in calls:
            if not self.has(call):
                self._under_way[call_key(call)] = asyncio.create_task(self._search_once(call))
        searches = [self._under_way[call_key(call)] for call in calls]
        try:
            results = [await _outcome(search) for search in searches]
        except asyncio.CancelledError:
            for search in searches:
                search.cancel()
            await asyncio.wait(searches)  # Each records its usage.
            raise
        if results:
            self.history.append(tuple(map(_result_of, calls, results)))
        return [result for result in results if isinstance(result, Exception)]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All distinct passages: the best of each call first, then the second of each, and so on."""
        rounds, passages = self._merged
        if rounds != len(self.history):
            ranked = zip_longest(*(result.passages for round_ in self.history for result in round_))
            merged: dict[str, Passage] = {}
            for passage in filter(None, chain.from_iterable(ranked)):
                merged[passage.block_id] = merged.get(passage.block_id, passage).with_facts_of(passage)
            passages = tuple(merged.values())
            self._merged = (len(self.history), passages)
        return passages

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The distinct calls that were run, in order."""
        ran = (result.call for round_ in self.history for result in round_ if self.has(result.call))
        once: dict[str, FunctionCall] = {}
        for call in ran:
            once.setdefault(call_key(call), call)
        return tuple(once.values())

    async def _search_once(self, call: FunctionCall) -> CallResult:
        meter = self._model.meter()
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
            details["passages"] = traced_passages(passages)
        return CallResult(call=call, passages=passages)


def _result_of(call: FunctionCall, outcome: CallResult | Exception) -> CallResult:
    """What the call is told: the result of the equal call that was run, or its error."""
    if isinstance(outcome, Exception):
        return CallResult(call=call, error=f"The search failed: {public_reason(outcome)}")
    return outcome if outcome.call is call else outcome.model_copy(update={"call": call})


async def _outcome(search: asyncio.Task[CallResult]) -> CallResult | Exception:
    try:
        return await search
    except Exception as error:
        return error


def call_key(call: FunctionCall) -> str:
    """Equal for calls of the same function with the same arguments."""
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
