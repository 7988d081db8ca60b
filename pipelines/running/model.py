"""The language model of a run: metered, within its deadline, and with prompts that fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.errors import ContextOverflow
from core.llm.base import LLM, Sampling
from core.llm.metered import CallWatch, Metered, unwatched
from core.llm.profile import DATA_CHARS_PER_TOKEN, PromptSize
from core.llm.task import Out, Task
from core.settings import ModelPrice
from pipelines.running.answer_limits import MIN_PROMPT_CHARS, AnswerLimits
from pipelines.running.trace import Details

MAX_FITTINGS = 4
"""How often a prompt is made shorter to be within the limit of its model."""


@dataclass(frozen=True)
class RunModel:
    """The model of a run with its sampling parameters, and the limits of a prompt.

    `watch` is called for each task that the model was given.
    """

    llm: LLM
    prices: Mapping[str, ModelPrice]
    sampling: Sampling
    limits: AnswerLimits
    watch: CallWatch = unwatched

    def meter(self) -> Metered:
        """The model with a new meter."""
        return Metered(self.llm, self.prices, self.watch)

    async def do(self, details: Details, build: Callable[[int], Task[Out]], seconds: float) -> Out:
        """Do the task that `build` makes for a number of characters, and record model and usage in the step's details.

        A prompt that is too long for the model is built again, shorter. Raises a `ModelError`, or `TimeoutError`, which
        is raised without a call if no time is left.
        """
        if seconds <= 0:
            raise TimeoutError
        meter, chars = self.meter(), self.limits.prompt_chars
        details["model"] = self.sampling.model or meter.model
        try:
            async with asyncio.timeout(seconds):
                while True:
                    task, chars = self._fitted(build, chars)
                    details |= {"task": task.name(), "prompt_version": task.prompt_version}
                    try:
                        reply = await meter.run(task, self.sampling)
                        break
                    except ContextOverflow:
                        chars //= 3
                        if chars < MIN_PROMPT_CHARS:
                            raise
                        details["note"] = f"The prompt was too long for the model and was cut to {chars:,} characters."
        finally:
            details["usage"] = meter.total
        # `model` stays the requested one: the name in a reply could be any text.
        details["reply"] = reply.value
        return reply.value

    def _fitted(self, build: Callable[[int], Task[Out]], chars: int) -> tuple[Task[Out], int]:
        """The task for at most so many characters whose whole prompt is within the limit, as far as it can be."""
        task = build(chars)
        limit = self.limits.prompt_tokens
        for _ in range(MAX_FITTINGS if limit is not None else 0):
            size = PromptSize.of(task)
            over = size.tokens - (limit or 0)
            if over <= 0 or chars <= MIN_PROMPT_CHARS:
                break
            chars = max(min(chars, size.data_chars) - DATA_CHARS_PER_TOKEN * over, MIN_PROMPT_CHARS)
            task = build(chars)
        return task, chars
