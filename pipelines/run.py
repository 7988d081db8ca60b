"""A question being worked on: the verbs a pipeline is written in, and the trace of what they did."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import zip_longest
from time import perf_counter
from typing import Any

from core.llm.base import LLM, Reply, Sampling
from core.llm.task import CallResult, Task
from core.types import Answer, FoundPassage, FunctionCall, FunctionSpec, Passage, Question, Step, StepKind, Usage
from pipelines.citations import verified
from pipelines.tasks import ChooseFunctions, WriteAnswer

Search = Callable[[FunctionCall], Awaitable[list[Passage]]]
MAX_PASSAGES = 12
"""Most passages given to the model that writes."""


class Run:
    """One question, from start to answer. `steps` is its trace, kept also where the run fails."""

    def __init__(
        self,
        *,
        course: str,
        question: Question,
        functions: tuple[FunctionSpec, ...],
        search: Search,
        llm: LLM,
        sampling: Sampling,
        retriever: str,
    ) -> None:
        self.course = course
        self.question = question
        self.functions = functions
        self.steps: list[Step] = []
        self.usage = Usage()
        self._search = search
        self._llm = llm
        self._sampling = sampling
        self._retriever = retriever
        self._history: list[tuple[CallResult, ...]] = []
        self._found: dict[str, tuple[Passage, ...]] = {}
        self._spent: dict[str, Usage] = {}
        self._started = perf_counter()

    async def choose(self, *, required: bool = False) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all that was found so far.

        The student's category stays out of it: letting it guide the choice is a pipeline of its own.
        """
        task = ChooseFunctions(
            course=self.course,
            question=self.question.model_copy(update={"category": None}),
            functions=self.functions,
            required=required,
            history=tuple(self._history),
        )
        started = perf_counter()
        try:
            reply = await self._llm.run(task, self._sampling)
        except Exception as error:
            self._record_failure(StepKind.CHOOSE, started, task, error)
            raise
        self._record_reply(StepKind.CHOOSE, started, task, reply, calls=reply.value.calls)
        return reply.value.calls

    async def search(self, calls: Sequence[FunctionCall]) -> None:
        """Run the calls concurrently. A call made before in this run is answered from it."""
        results = await asyncio.gather(*(self._call(call) for call in calls))
        self._history.append(tuple(results))

    async def write(self) -> Answer:
        """Write the answer from everything found, and check its citations."""
        passages = self.passages
        task = WriteAnswer(course=self.course, question=self.question, passages=passages)
        started = perf_counter()
        try:
            reply = await self._llm.run(task, self._sampling)
        except Exception as error:
            self._record_failure(StepKind.WRITE, started, task, error)
            raise
        self._record_reply(StepKind.WRITE, started, task, reply)
        return verified(reply.value, passages)

    def spend(self, call: FunctionCall, usage: Usage) -> None:
        """Count the model calls that a search took, also where it failed."""
        if usage.calls:
            self.usage += usage
            self._spent[call.id] = usage

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What was found, without repetition: the best of each call first, then the second of each, and so on."""
        ranked = zip_longest(*(result.passages for round_ in self._history for result in round_))
        merged = {passage.block_id: passage for rank in ranked for passage in rank if passage is not None}
        return tuple(merged.values())[:MAX_PASSAGES]

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """Every function call of the run, in order."""
        return tuple(result.call for round_ in self._history for result in round_)

    async def _call(self, call: FunctionCall) -> CallResult:
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
        if key in self._found:
            return CallResult(call=call, passages=self._found[key])
        started = perf_counter()
        try:
            passages = tuple(await self._search(call))
        except Exception as error:
            self._add(
                StepKind.SEARCH,
                started,
                function=call.name,
                arguments=call.arguments,
                usage=self._spent.pop(call.id, None),
                error=str(error),
            )
            raise
        self._found[key] = passages
        self._add(
            StepKind.SEARCH,
            started,
            function=call.name,
            arguments=call.arguments,
            retriever=self._retriever,
            passages=tuple(_found(passage) for passage in passages),
            usage=self._spent.pop(call.id, None),
        )
        return CallResult(call=call, passages=passages)

    def _record_reply(
        self, kind: StepKind, started: float, task: Task[Any], reply: Reply[Any], **details: object
    ) -> None:
        self.usage += reply.usage
        self._add(
            kind,
            started,
            task=task.name(),
            prompt_version=task.version,
            model=reply.model,
            usage=reply.usage,
            **details,
        )

    def _record_failure(self, kind: StepKind, started: float, task: Task[Any], error: Exception) -> None:
        self._add(kind, started, task=task.name(), prompt_version=task.version, error=str(error))

    def _add(self, kind: StepKind, started: float, **details: object) -> None:
        step = {
            "kind": kind,
            "started_ms": round(1000 * (started - self._started), 2),
            "ms": round(1000 * (perf_counter() - started), 2),
            **details,
        }
        self.steps.append(Step.model_validate(step))


def _found(passage: Passage) -> FoundPassage:
    return FoundPassage(
        block_id=passage.block_id,
        document=passage.document,
        heading_path=passage.heading_path,
        score=passage.score,
        path=passage.path,
    )
