"""Feedback on homework as a pipeline: what can be computed is computed, then the model writes."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.homework_review import HomeworkReview
from pipelines.run import Run


@dataclass(frozen=True)
class Homework:
    """Check what can be computed, and let the model write feedback that rests on it."""

    name: ClassVar[str] = "homework"
    summary: ClassVar[str] = "Computes equations, units and answers, then writes feedback that rests on them"
    model_calls: ClassVar[str] = "1"

    async def answer(self, run: Run) -> Answer:
        homework = HomeworkReview(run, run.checker, run.checks)
        return await homework.write(await homework.check())
