"""Asks the model which course functions to call, and with which arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from core.errors import BadReply, ModelError
from core.llm.calls import call_problem
from core.types import FunctionCall, StepKind
from pipelines.running.budget import fit_history, question_size
from pipelines.running.choices import sort_out
from pipelines.running.limits import MAX_REPAIRS
from pipelines.running.state import HURRIED, RunState
from tasks import ChooseFunctions, FillArguments, SelectFunctions


class FunctionChoosing:
    """The choices of one run."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    async def choose(
        self, *, required: bool = False, guided: bool = False, feedback: str = ""
    ) -> tuple[FunctionCall, ...]:
        """Ask the model which functions to call, given all results so far; returns none if time runs short.

        `guided` gives it the student's category, which is otherwise left out; `feedback` is a review of a draft. Calls
        that cannot be run are returned to the model with the reason. Raises a `ModelError` if the model fails and
        nothing was found before; `BadReply` if a call was required and none can be run.
        """
        if self._state.hurries() or self._is_full():
            return ()
        try:
            return await self._choose(required, (self._state.question.category or "") if guided else "", feedback)
        except TimeoutError:
            self._state.note(HURRIED)
        except ModelError as error:
            if not self._state.searches.found:
                raise
            self._state.failure("No further search was made, since choosing one failed", error)
        return ()

    async def select(self) -> tuple[str, ...]:
        """Ask the model only for the names of the functions to call. Raises a `ModelError` if it fails."""
        descriptions = tuple(f"{function.name}: {function.description}" for function in self._state.functions)

        def task(chars: int) -> SelectFunctions:
            return SelectFunctions(
                course=self._state.title,
                course_id=self._state.course.id,
                question=self._state.asked(chars),
                functions=descriptions,
            )

        try:
            with self._state.trace.step(StepKind.CHOOSE) as details:
                selection = await self._state.asking.ask(details, task, self._state.deadline.to_choose)
                details["note"] = f"Selected: {', '.join(selection.functions) or 'none'}."
        except TimeoutError:
            self._state.note(HURRIED)
            return ()
        return tuple(dict.fromkeys(selection.functions))

    async def fill(self, names: Iterable[str]) -> tuple[FunctionCall, ...]:
        """Ask the model for the arguments of each function concurrently; functions for which it fails are left out.

        Raises its `ModelError` if it fails for all; `BadReply` for an unknown function.
        """
        filled = await asyncio.gather(*(self._fill(name) for name in names), return_exceptions=True)
        calls = tuple(call for call in filled if isinstance(call, FunctionCall))
        self._state.tolerate("A function was not called", filled, enough=bool(calls))
        return calls

    def _is_full(self) -> bool:
        """True, with a note, if no further call may be made."""
        if full := len(self._state.searches) >= self._state.limits.calls_per_run:
            self._state.note(f"No further search was made after {self._state.limits.calls_per_run} calls.")
        return full

    async def _choose(self, required: bool, category: str, feedback: str) -> tuple[FunctionCall, ...]:
        def task(chars: int) -> ChooseFunctions:
            asked = self._state.asked(chars)
            history = fit_history(self._state.searches.history, chars - question_size(asked))
            return ChooseFunctions(
                course=self._state.title, course_id=self._state.course.id, category=category, question=asked,
                functions=self._state.functions, required=required, history=history, feedback=feedback,
            )  # fmt: skip

        for _ in range(1 + MAX_REPAIRS):
            with self._state.trace.step(StepKind.CHOOSE) as details:
                choice = await self._state.asking.ask(details, task, self._state.deadline.to_choose)
                if choice.nothing is not None:
                    self._state.nothing = choice.nothing
                chosen = sort_out(choice.calls, self._state.functions, self._state.limits, self._state.searches.calls)
                details["calls"] = chosen.calls
                if chosen.note:
                    details["note"] = chosen.note
            if chosen.calls or not chosen.wrong:
                break
            self._state.searches.history.append(chosen.wrong[: self._state.limits.calls_per_turn])
        if required and not chosen.calls:
            why = "; ".join(chosen.reasons) or "it called none"
            raise BadReply(f"The model had to call a function, and there is no call that can be run: {why}.")
        return chosen.calls

    async def _fill(self, name: str) -> FunctionCall:
        specs = tuple(function for function in self._state.functions if function.name == name)

        def task(chars: int) -> FillArguments:
            return FillArguments(
                course=self._state.title, question=self._state.asked(chars), functions=specs, required=True
            )

        if not specs:
            raise BadReply(f"The model selected a function that does not exist: {name!r}.")
        with self._state.trace.step(StepKind.CHOOSE) as details:
            choice = await self._state.asking.ask(details, task, self._state.deadline.to_choose)
            fitting = [call for call in choice.calls if not call_problem(call.name, call.arguments, specs)]
            if not fitting:
                raise BadReply(f"The model wrote no arguments that fit {name}.")
            # Each call comes from a separate reply, so that ids may repeat.
            details["calls"] = (fitting[0].model_copy(update={"id": f"call_{name}"}),)
        return fitting[0].model_copy(update={"id": f"call_{name}"})
