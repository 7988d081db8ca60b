"""Steps and function calls of a run with each of their texts replaced, as for those who may not read them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.types import FunctionCall, Step

Event = FunctionCall | Step


@dataclass(frozen=True)
class PublicTrace:
    """Steps and function calls of a run that may be stored and shown."""

    steps: tuple[Step, ...]
    calls: tuple[FunctionCall, ...]

    def with_texts(self, text: Callable[[str], str]) -> PublicTrace:
        """The same with each text replaced by what `text` makes of it."""
        steps = tuple(public_step(step, text) for step in self.steps)
        return PublicTrace(steps, tuple(public_call(call, text) for call in self.calls))


def with_texts(event: Event, public: Callable[[str], str]) -> Event:
    """The event with each text replaced by what `public` makes of it."""
    return public_call(event, public) if isinstance(event, FunctionCall) else public_step(event, public)


def public_step(step: Step, public: Callable[[str], str]) -> Step:
    """The step with each of its texts made public."""
    arguments, note, error = (_value(value, public) for value in (step.arguments, step.note, step.error))
    calls = tuple(public_call(call, public) for call in step.calls)
    if (arguments, note, error, calls) == (step.arguments, step.note, step.error, step.calls):
        return step
    return step.model_copy(update={"arguments": arguments, "calls": calls, "note": note, "error": error})


def public_call(call: FunctionCall, public: Callable[[str], str]) -> FunctionCall:
    """The call with its arguments made public."""
    arguments = _value(call.arguments, public)
    return call if arguments == call.arguments else call.model_copy(update={"arguments": arguments})


def _value(value: Any, public: Callable[[str], str]) -> Any:
    """A JSON value with every text in it made public."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, list | tuple):
        return [_value(item, public) for item in value]
    if isinstance(value, dict):
        return {public(str(name)): _value(item, public) for name, item in value.items()}
    return value
