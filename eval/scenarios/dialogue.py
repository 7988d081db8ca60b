"""A dialogue between a scenario's agents about one task."""

from __future__ import annotations

from typing import Any

from core.types import FunctionCall, Value
from eval.scenarios.turns import without_thinking

_END_OF_THINKING = "</think>"


class ToolUse(Value):
    """A call of a tool that an agent made before it spoke, and the result that its model was sent."""

    call: FunctionCall
    result: str


class Turn(Value):
    """What an agent said, as its model sent it, thinking included."""

    agent: str
    content: str
    uses: tuple[ToolUse, ...] = ()

    @property
    def words(self) -> str:
        """What the others hear."""
        return without_thinking(self.content)

    @property
    def parts(self) -> tuple[str, str]:
        """What the model thought, empty if nothing, and what it said."""
        thinking, end, said = self.content.partition(_END_OF_THINKING)
        return (thinking.strip(), said.strip()) if end else ("", self.content.strip())


class Dialogue(Value):
    """The turns on one task. A dialogue that the turn limit ended is partial."""

    task: dict[str, Any]
    turns: tuple[Turn, ...] = ()
    is_partial: bool = False
