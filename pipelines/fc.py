"""Pipeline 1 of EduMod-LLM, section 3.2: optional function calls."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.run import Run


@dataclass(frozen=True)
class Fc:
    """The model may call functions, or none; then the answer is written."""

    name: ClassVar[str] = "fc"
    summary: ClassVar[str] = "The model may call functions, or none."
    model_calls: ClassVar[str] = "2"

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.choose())
        return await run.write()
