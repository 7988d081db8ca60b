"""What the program computes, as an actor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from core.dataset import I
from core.llm.base import LLM
from eval.actors.base import Actor

COMPUTED = "computed"


@dataclass(frozen=True)
class ComputedActor(Actor[I]):
    """The program without a model, in the version that the conditions of the evaluation name.

    `compute` gives the output for an item, serialisable as JSON. `parts` are versions of what it uses.
    """

    name: ClassVar[str] = COMPUTED  # type: ignore[misc]

    compute: Callable[[I], Awaitable[Any]]
    parts: str = ""

    @property
    def identity(self) -> str:
        return f"{COMPUTED} {self.parts}".strip()

    async def act(self, item: I, seed: int, llm: LLM) -> Any:
        return await self.compute(item)
