"""Does a run's tasks with its model: metered, in time, and with prompts that fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.errors import ContextOverflow
from core.llm.base import LLM, Reply, Sampling
from core.llm.metered import Metered
from core.llm.task import Out, Task
from core.settings import ModelPrice
from pipelines.running.limits import LEAST_PROMPT
from pipelines.running.trace import Details


@dataclass(frozen=True)
class Asking:
    """The model of a run, with how to sample it and how many characters a prompt may have."""

    llm: LLM
    prices: Mapping[str, ModelPrice]
    sampling: Sampling
    prompt_chars: int

    def meter(self) -> Metered:
        """The model with a meter of its own."""
        return Metered(self.llm, self.prices)

    async def ask(self, details: Details, build: Callable[[int], Task[Out]], seconds: float) -> Out:
        """Do the task that `build` makes for a number of characters, and put what it took into the step's details.

        A prompt that is too long for the model is made again, shorter. Raises `TimeoutError`, without asking where no
        time is left, or a `ModelError`; the step then names the model that was asked.
        """
        if seconds <= 0:
            raise TimeoutError
        meter = self.meter()
        details["model"] = self.sampling.model or meter.model
        try:
            async with asyncio.timeout(seconds):
                reply = await self._fitting(details, build, meter)
        finally:
            details["usage"] = meter.total
        # The model stays the one asked for: what a reply calls itself could be any text.
        details["reply"] = reply.value
        return reply.value

    async def _fitting(self, details: Details, build: Callable[[int], Task[Out]], meter: Metered) -> Reply[Out]:
        chars = self.prompt_chars
        while True:
            task = build(chars)
            details |= {"task": task.name(), "prompt_version": task.version}
            try:
                return await meter.run(task, self.sampling)
            except ContextOverflow:
                chars //= 3
                if chars < LEAST_PROMPT:
                    raise
                details["note"] = f"The prompt was too long for the model and was cut to {chars:,} characters."
