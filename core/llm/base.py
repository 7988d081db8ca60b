"""The interface that every language-model backend and wrapper has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Generic, Protocol

from core.llm.task import Out, Task, YesNoTask
from core.types import Usage, Value


class Sampling(Value):
    """How to sample: everything about a call that is not in its task. Part of the cache key."""

    model: str | None = None
    temperature: float | None = None
    seed: int | None = None


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True)
class Reply(Generic[Out]):
    """A task's result with what it cost. `model` is the model that served it."""

    value: Out
    model: str
    usage: Usage


class LLM(Protocol):
    """A language model, or something that stands for one.

    Every method raises a `core.errors.ModelError` where the model did not do its task; none returns an error as text.
    """

    @property
    def model(self) -> str:
        """The model used where a call names none."""
        ...

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do a task; the reply's value has the task's output type."""
        ...

    def stream(self, task: Task[str], sampling: Sampling = DEFAULT_SAMPLING) -> AsyncIterator[str]:
        """Do a text task and yield the text as it is written."""
        ...

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        """P("yes"): the softmax over the first token's log-probabilities, "yes" against "no", spellings summed."""
        ...

    async def aclose(self) -> None:
        """Give connections back. The model is not used afterwards."""
        ...
