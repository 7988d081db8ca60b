"""Pipeline 3 of EduMod-LLM, section 3.2: at least one function call."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.errors import ModelTimeout
from core.types import Answer, FunctionCall
from pipelines.run import Run
from posts.query import search_query

UNCHOSEN = (
    "Choosing what to search took too long: all kinds of material were searched with the question's own words instead."
)


@dataclass(frozen=True)
class FcForced:
    """The model must call at least one function; then the answer is written.

    If it does not choose in time, every function is called with the question's own words.
    """

    name: ClassVar[str] = "fc_forced"
    summary: ClassVar[str] = "The model must call at least one function."
    model_calls: ClassVar[str] = "2"

    async def answer(self, run: Run) -> Answer:
        await run.search(await _choose(run) or _call_everything(run))
        return await run.write()


async def _choose(run: Run) -> tuple[FunctionCall, ...]:
    """The model's choice; empty if it was not made in time."""
    try:
        return await run.choose(required=True)
    except ModelTimeout:
        return ()


def _call_everything(run: Run) -> tuple[FunctionCall, ...]:
    if run.hurries():
        return ()
    run.note(UNCHOSEN)
    query = {"query": search_query(run.question)}
    return tuple(
        FunctionCall(id=f"own_{function.name}", name=function.name, arguments=query) for function in run.functions
    )
