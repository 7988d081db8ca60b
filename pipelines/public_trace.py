"""The public trace of a run: its steps and calls, without staff-only texts that models repeated in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.types import FunctionCall, Step
from pipelines.run import Run
from safeguards import WITHHELD

Event = FunctionCall | Step
Public = Callable[[Sequence[str]], list[str]]
"""What `Run.public` returns."""


@dataclass(frozen=True)
class PublicTrace:
    """Steps and function calls of a run that may be stored and shown."""

    steps: tuple[Step, ...]
    calls: tuple[FunctionCall, ...]

    def with_texts(self, text: Callable[[str], str]) -> PublicTrace:
        """The same with each text replaced by what `text` makes of it."""
        steps = tuple(public_step(step, text) for step in self.steps)
        return PublicTrace(steps, tuple(public_call(call, text) for call in self.calls))


def public_trace(run: Run) -> PublicTrace:
    """The run's trace with arguments, notes and errors passed through `Run.public` together.

    If the run holds secrets, this takes as long as the check of an answer, so call it in a thread.
    """
    text = _texts([*run.steps, *run.calls], run.public())
    return PublicTrace(
        steps=tuple(public_step(step, text) for step in run.steps),
        calls=tuple(public_call(call, text) for call in run.calls),
    )


def public_event(public: Public, before: Sequence[Event], event: Event) -> Event:
    """A call or step that may be shown during its run, after those `before`.

    `public` is what `Run.public` returned at the event.
    """
    return with_texts(event, _texts([*before, event], public))


def _texts(events: Sequence[Event], public: Public) -> Callable[[str], str]:
    """Gives each text of the events as `public` makes it; a note if nothing is left."""
    texts: dict[str, str] = {}
    for event in events:
        with_texts(event, lambda text: texts.setdefault(text, text))
    kept = public([*texts])
    return {text: shown if shown or not text else WITHHELD for text, shown in zip(texts, kept, strict=True)}.__getitem__


def with_texts(event: Event, public: Callable[[str], str]) -> Event:
    """The event with each text replaced by what `public` makes of it."""
    return public_call(event, public) if isinstance(event, FunctionCall) else public_step(event, public)


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
