"""The offline backend: every task done by a rule, with no language model, no network and no key.

A rule is registered for one task type in `app/wiring.py`, where all of them stand in one visible table.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from inspect import iscoroutinefunction
from time import perf_counter
from typing import Any, cast

from core.concurrency import in_thread
from core.errors import MissingCapability
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.task import Out, Task, YesNoTask
from core.types import Usage

Rule = Callable[[Any], Any]
"""Takes the task, returns its reply, or if it is `async` awaits it; deterministic and without side effects."""

OFFLINE_MODEL = "offline"


class OfflineLLM:
    """Does each task by the rule registered for its type. Costs nothing, and says so: its model is named `offline`."""

    def __init__(self, rules: Mapping[type[Task[Any]], Rule]) -> None:
        self.rules = dict(rules)

    @property
    def model(self) -> str:
        return OFFLINE_MODEL

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do the task by its rule, in a thread if it is not `async`. Raises `MissingCapability` where there is none."""
        started = perf_counter()
        rule = self._rule(task)
        value = await rule(task) if iscoroutinefunction(rule) else await in_thread(rule, task)
        usage = Usage(calls=1, model_ms=1000 * (perf_counter() - started))
        return Reply(value=cast(Out, value), model=OFFLINE_MODEL, usage=usage)

    async def stream(self, task: Task[str], sampling: Sampling = DEFAULT_SAMPLING) -> AsyncIterator[str]:
        yield (await self.run(task, sampling)).value

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        """What the task's rule gives. Raises `MissingCapability` where it has none."""
        if type(task) in self.rules:
            reply = await self.run(task, sampling)
            return Reply(value=float(reply.value), model=reply.model, usage=reply.usage)
        raise MissingCapability(
            "logprobs",
            "The offline backend gives no token probabilities. Set EDUMOD_LLM_BASE_URL to a model endpoint with "
            "logprobs, or choose a retriever that needs none, such as hybrid.",
        )

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _rule(self, task: Task[Any]) -> Rule:
        rule = self.rules.get(type(task))
        if rule is None:
            raise MissingCapability(
                "rule",
                f"The offline backend has no rule for {task.name()}. Set EDUMOD_LLM_BASE_URL to a model endpoint.",
            )
        return rule
