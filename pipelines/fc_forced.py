"""Pipeline 3 of EduMod-LLM, section 3.2: at least one function call."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.run import Run


@dataclass(frozen=True)
class FcForced:
    """The model must call at least one function; then the answer is written."""

    name: ClassVar[str] = "fc_forced"
    summary: ClassVar[str] = "The model must call at least one function."
    model_calls: ClassVar[str] = "2"

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.choose(required=True))
        return await run.write()
