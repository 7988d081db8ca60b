"""Pipeline 4 of EduMod-LLM, section 3.2: further function calls, given earlier results."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.run import Run


@dataclass(frozen=True)
class FcIterative:
    """Search again, given the results so far, until the model requests nothing new."""

    name: ClassVar[str] = "fc_iterative"
    summary: ClassVar[str] = "The model searches again, given the results so far, until it requests nothing new."
    model_calls: ClassVar[str] = "2 + max_rounds"

    max_rounds: int = Field(default=3, ge=1, le=10, description="Further choices after the first.")

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.choose(required=True))
        for _ in range(self.max_rounds):
            if not await run.search(await run.choose()):
                break
        return await run.write()
