"""An actor made from a function, and outcomes made without running anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from core.dataset import Dataset
from core.llm.base import LLM
from core.store.tables import EvaluationRow, EvaluationState, ResultRow, ResultState
from eval.actors.base import Actor
from eval.plan import Plan
from eval.scoring import ScoredRun, scored

USAGE = {"calls": 1, "cached_calls": 0, "prompt_tokens": 10, "completion_tokens": 5, "cost_usd": 0.5}


async def nothing(item: Any, seed: int, llm: LLM) -> None:
    return None


@dataclass(frozen=True)
class Scripted(Actor[Any]):
    """Does what its function does."""

    name: str
    function: Callable[[Any, int, LLM], Awaitable[Any]] = nothing
    identity: str = ""

    async def act(self, item: Any, seed: int, llm: LLM) -> Any:
        return await self.function(item, seed, llm)


@dataclass(frozen=True)
class Untimed(Scripted):
    timed: ClassVar[bool] = False


@dataclass(frozen=True)
class Number:
    """An item that is a number."""

    value: int
    label: str = ""

    @property
    def id(self) -> str:
        return str(self.value)

    @property
    def text(self) -> str:
        return f"Number {self.value}"

    @property
    def contents(self) -> tuple[Any, ...]:
        return (self.value, self.label)


def numbers(n: int) -> Dataset[Number]:
    return Dataset("numbers", tuple(Number(value) for value in range(n)))


def outcome(plan: Plan[Any], *rows: tuple[str, str, Any], ms: float = 10.0) -> ScoredRun[Any]:
    """Of rows (actor, item, output); without an output the item failed."""
    found = [
        ResultRow(
            evaluation_id="e",
            actor=actor,
            item=item,
            seed=0,
            state=ResultState.FAILED if output is None else ResultState.SCORED,
            output=output,
            error={"code": "bad-reply", "detail": "no"} if output is None else None,
            usage=USAGE,
            ms=ms,
        )
        for actor, item, output in rows
    ]
    scored(plan, found)
    evaluation = EvaluationRow(
        id="e", course_id=plan.course_id, kind=plan.kind, key="k", state=EvaluationState.RUNNING, config=plan.config
    )
    return ScoredRun(plan, evaluation, tuple(found), capped=False)
