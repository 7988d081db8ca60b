"""The offline backend: does every task by a rule, without a language model, a network or a key.

`app/models/offline_backend.py` lists the rules in one table, by task type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from time import perf_counter
from typing import Any, cast

from core.concurrency import in_thread
from core.errors import MissingCapability
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.task import LabelTask, Out, Task, YesNoTask
from core.types import Usage

Rule = Callable[[Any], Any]
"""A function, possibly `async`, from the task to its reply; deterministic and without side effects."""

OFFLINE_MODEL = "offline"
NO_LOGPROBS = (
    "The offline backend gives no token probabilities. Set EDUMOD_LLM_BASE_URL to a model endpoint with logprobs"
)


class OfflineLLM:
    """Does each task by the rule for its type, free of charge. Its model is named `offline`."""

    def __init__(self, rules: Mapping[type[Task[Any]], Rule]) -> None:
        self.rules = dict(rules)

    @property
    def model(self) -> str:
        return OFFLINE_MODEL

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do the task by its rule, in a thread unless it is `async`. Raises `MissingCapability` if there is none."""
        if isinstance(task, LabelTask):
            raise MissingCapability("logprobs", f"{NO_LOGPROBS}, or ask for a whole reply.")
        started = perf_counter()
        rule = self._rule(task)
        value = await rule(task) if iscoroutinefunction(rule) else await in_thread(rule, task)
        usage = Usage(calls=1, model_ms=1000 * (perf_counter() - started))
        return Reply(value=cast(Out, value), model=OFFLINE_MODEL, usage=usage)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        """The result of the task's rule. Raises `MissingCapability` if it has none."""
        if type(task) in self.rules:
            reply = await self.run(task, sampling)
            return Reply(value=float(reply.value), model=reply.model, usage=reply.usage)
        raise MissingCapability(
            "logprobs", f"{NO_LOGPROBS}, or choose a retriever that does not need them, such as hybrid."
        )

    async def aclose(self) -> None:
        """Nothing to close."""

    def _rule(self, task: Task[Any]) -> Rule:
        rule = self.rules.get(type(task))
        if rule is None:
            raise MissingCapability(
                "rule",
                f"The offline backend has no rule for {task.name()}. Set EDUMOD_LLM_BASE_URL to a model endpoint.",
            )
        return rule
