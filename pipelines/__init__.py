"""Strategies for choosing functions and writing the answer (EduMod-LLM, section 3.2).

Adding one: a module with a frozen dataclass, and its name in `PIPELINES`.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from core.errors import UnknownName
from core.types import Answer
from pipelines.fc import Fc
from pipelines.fc_forced import FcForced
from pipelines.run import Run


class Pipeline(Protocol):
    """A frozen dataclass whose fields are its parameters."""

    name: ClassVar[str]

    async def answer(self, run: Run) -> Answer: ...


PIPELINES: tuple[type[Pipeline], ...] = (Fc, FcForced)


def pipeline_named(name: str) -> type[Pipeline]:
    """Raises `UnknownName` naming the pipelines there are."""
    for pipeline in PIPELINES:
        if pipeline.name == name:
            return pipeline
    raise UnknownName("pipeline", name, [pipeline.name for pipeline in PIPELINES])
