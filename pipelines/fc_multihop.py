"""Pipeline 6 of EduMod-LLM, section 3.2: functions are selected first, their arguments written after."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from pydantic.dataclasses import dataclass

from core.errors import BadReply
from core.llm.calls import call_problem
from core.types import Answer, FunctionCall, StepKind
from pipelines.run import HURRIED, Run
from tasks import FillArguments, SelectFunctions


@dataclass(frozen=True)
class FcMultihop:
    """One model call names the functions; then one call per function, all concurrent, writes its arguments."""

    name: ClassVar[str] = "fc_multihop"
    summary: ClassVar[str] = "One model call names the functions, one more for each writes its arguments."
    model_calls: ClassVar[str] = "2 + functions"

    async def answer(self, run: Run) -> Answer:
        names = await _select(run)
        calls = await asyncio.gather(*(_fill(run, name) for name in names), return_exceptions=True)
        filled = [call for call in calls if isinstance(call, FunctionCall)]
        run.tolerate("A function was not called", calls, enough=bool(filled))
        await run.search(filled)
        return await run.write()


async def _select(run: Run) -> tuple[str, ...]:
    """Ask the model only for the names of the functions to call; none if time runs short. Raises a `ModelError`."""
    descriptions = tuple(f"{function.name}: {function.description}" for function in run.functions)

    def task(chars: int) -> SelectFunctions:
        question = run.short_question(chars)
        return SelectFunctions(course=run.title, course_id=run.course.id, question=question, functions=descriptions)

    try:
        with run.trace.step(StepKind.CHOOSE) as details:
            selection = await run.model.do(details, task, run.deadline.to_choose)
            details["note"] = f"Selected: {', '.join(selection.functions) or 'none'}."
    except TimeoutError:
        run.note(HURRIED)
        return ()
    return tuple(dict.fromkeys(selection.functions))


async def _fill(run: Run, name: str) -> FunctionCall:
    """Ask the model for the arguments of one function. Raises a `ModelError`; `BadReply` for an unknown function."""
    functions = tuple(function for function in run.functions if function.name == name)

    def task(chars: int) -> FillArguments:
        question = run.short_question(chars)
        return FillArguments(course=run.title, question=question, functions=functions, required=True)

    if not functions:
        raise BadReply(f"The model selected a function that does not exist: {name!r}.")
    with run.trace.step(StepKind.CHOOSE) as details:
        choice = await run.model.do(details, task, run.deadline.to_choose)
        fitting = [call for call in choice.calls if not call_problem(call.name, call.arguments, functions)]
        if not fitting:
            raise BadReply(f"The model wrote no arguments that fit {name}.")
        # Each call comes from a separate reply, so that ids may repeat.
        call = fitting[0].model_copy(update={"id": f"call_{name}"})
        details["calls"] = (call,)
    return call
