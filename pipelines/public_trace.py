"""The public trace of a run: its steps and calls, without staff-only texts that models repeated in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from core.types import FunctionCall, Step
from pipelines.run import Run
from pipelines.safeguards import WITHHELD, without_invisible


@dataclass(frozen=True)
class PublicTrace:
    """Steps and function calls of a run that may be stored and shown."""

    steps: tuple[Step, ...]
    calls: tuple[FunctionCall, ...]


def public_trace(run: Run) -> PublicTrace:
    """The run's trace with arguments, notes and errors passed through `Run.public`, each distinct text once.

    If the run holds secrets, this takes as long as the check of an answer, so call it in a thread.
    """
    if not run.holds_secrets():
        return PublicTrace(tuple(run.steps), run.calls)
    public = cache(partial(_text, run.public()))
    return PublicTrace(
        steps=tuple(public_step(step, public) for step in run.steps),
        calls=tuple(public_call(call, public) for call in run.calls),
    )


def public_event(public: Callable[[str], str], event: FunctionCall | Step) -> FunctionCall | Step:
    """A call or step that may be shown during its run; `public` is what `Run.public` returned at the event."""
    text = cache(partial(_text, public))
    return public_call(event, text) if isinstance(event, FunctionCall) else public_step(event, text)


def _text(public: Callable[[str], str], text: str) -> str:
    """The text without invisible characters and staff-only texts; a note if nothing is left."""
    kept = public(without_invisible(text))
    return kept if kept or not text else WITHHELD


def public_step(step: Step, public: Callable[[str], str]) -> Step:
    """The step with each of its texts made public."""
    return step.model_copy(
        update={
            "arguments": _value(step.arguments, public),
            "calls": tuple(public_call(call, public) for call in step.calls),
            "note": _value(step.note, public),
            "error": _value(step.error, public),
        }
    )


def public_call(call: FunctionCall, public: Callable[[str], str]) -> FunctionCall:
    """The call with its arguments made public."""
    return call.model_copy(update={"arguments": _value(call.arguments, public)})


def _value(value: Any, public: Callable[[str], str]) -> Any:
    """A JSON value with every text in it made public."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, list | tuple):
        return [_value(one, public) for one in value]
    if isinstance(value, dict):
        return {public(str(name)): _value(one, public) for name, one in value.items()}
    return value
