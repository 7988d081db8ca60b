"""The interface that every language-model backend and wrapper has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol

from core.llm.task import Out, Task, YesNoTask
from core.types import Usage, Value


class Sampling(Value):
    """Sampling parameters: the part of a call that is not in its task. Part of the cache key.

    `model` is an alias where several models can be asked (`Models`), and the endpoint's own name below that; without
    one, the default is asked.
    """

    model: str | None = None
    temperature: float | None = None
    seed: int | None = None


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True)
class Reply(Generic[Out]):
    """A task's result with its usage. `model` is the model that served it."""

    value: Out
    model: str
    usage: Usage


class LLM(Protocol):
    """A language model, or a backend that replaces one.

    Every method raises a `core.errors.ModelError` if the model fails; none returns an error as text.
    """

    @property
    def model(self) -> str:
        """The model used if a call names none."""
        ...

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do a task; the reply's value has the task's output type."""
        ...

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        """P("yes"): the softmax over the first token's log-probabilities, "yes" against "no", spellings summed."""
        ...

    async def aclose(self) -> None:
        """Close connections. The model cannot be used afterwards."""
        ...
