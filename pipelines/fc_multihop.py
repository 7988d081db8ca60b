"""Pipeline 6 of EduMod-LLM, section 3.2: functions are selected first, their arguments written after."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.types import Answer
from pipelines.run import Run


@dataclass(frozen=True)
class FcMultihop:
    """One model call names the functions; then one call per function, all concurrent, writes its arguments."""

    name: ClassVar[str] = "fc_multihop"
    summary: ClassVar[str] = "One model call names the functions, one more for each writes its arguments."
    model_calls: ClassVar[str] = "2 + functions"

    async def answer(self, run: Run) -> Answer:
        await run.search(await run.fill(await run.select()))
        return await run.write()
