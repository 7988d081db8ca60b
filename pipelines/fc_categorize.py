"""Pipeline 2 of EduMod-LLM, section 3.2: the student's category guides the choice."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.run import Run


@dataclass(frozen=True)
class FcCategorize:
    """The model is given the category that the student chose, and may call functions."""

    name: ClassVar[str] = "fc_categorize"
    summary: ClassVar[str] = "The student's category guides which functions the model calls."
    model_calls: ClassVar[str] = "2"

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.choose(guided=True))
        return await run.write()
