"""Other instructions for some tasks, to compare versions of a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.task import Instructions, Out, Task, YesNoTask


@dataclass(frozen=True)
class Reworded:
    """A model that is given these instructions, by the name of the task, in place of the tasks' own."""

    llm: LLM
    instructions: Mapping[str, Instructions]

    @property
    def model(self) -> str:
        return self.llm.model

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        given = self.instructions.get(task.name())
        return await self.llm.run(task if given is None else task.instructed(given), sampling)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        given = self.instructions.get(task.name())
        return await self.llm.probability(task if given is None else task.instructed(given), sampling)

    async def aclose(self) -> None:
        await self.llm.aclose()
