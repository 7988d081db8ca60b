"""A language model that returns replies scripted by a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.task import Out, Task, YesNoTask
from core.types import Usage

Line = Any
"""A reply's value, an exception to raise, or a function from the task to either."""


class ScriptedLLM:
    """Returns its lines in order and records the tasks it receives.

    With `lines` as a mapping, each task type has its own list; a list of one line is repeated.
    """

    def __init__(
        self, lines: list[Line] | dict[type[Task[Any]], list[Line]], *, model: str = "scripted", seconds: float = 0.0
    ) -> None:
        self._lines = lines
        self._model = model
        self._seconds = seconds
        self.tasks: list[Task[Any]] = []
        self.samplings: list[Sampling] = []

    @property
    def model(self) -> str:
        return self._model

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        value = await self._play(task, sampling)
        usage = Usage(calls=1, prompt_tokens=100, completion_tokens=10, model_ms=1000 * self._seconds)
        return Reply(value=cast(Out, value), model=sampling.model or self._model, usage=usage)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        value = float(await self._play(task, sampling))
        return Reply(value=value, model=sampling.model or self._model, usage=Usage(calls=1))

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _play(self, task: Task[Any], sampling: Sampling) -> Line:
        self.tasks.append(task)
        self.samplings.append(sampling)
        line = self._next(type(task))
        await asyncio.sleep(self._seconds)
        if callable(line) and not isinstance(line, type):
            line = cast(Callable[[Task[Any]], Line], line)(task)
        if isinstance(line, BaseException):
            raise line
        return line

    def _next(self, kind: type[Task[Any]]) -> Line:
        if isinstance(self._lines, list):
            if not self._lines:
                raise AssertionError(f"The script has ended, but {kind.__name__} was requested.")
            return self._lines.pop(0)
        lines = self._lines.get(kind)
        if not lines:
            raise AssertionError(f"The script has no line for {kind.__name__}.")
        return lines[0] if len(lines) == 1 else lines.pop(0)
