"""What of a run may be shown: its steps and calls without what models repeated of staff-only texts in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.types import FunctionCall, Step
from pipelines.run import Run

WITHHELD = "(withheld: it repeats a text for staff only)"


@dataclass(frozen=True)
class PublicTrace:
    """Steps and function calls of a run, fit to be stored and shown."""

    steps: tuple[Step, ...]
    calls: tuple[FunctionCall, ...]


def public_trace(run: Run) -> PublicTrace:
    """Arguments, notes and errors go through `Run.public`, each distinct text once. Works as long as a check of an
    answer, hence belongs in a thread.
    """

    @cache
    def public(text: str) -> str:
        kept = run.public(text)
        return kept if kept or not text else WITHHELD

    return PublicTrace(
        steps=tuple(_step(step, public) for step in run.steps),
        calls=tuple(_call(call, public) for call in run.calls),
    )


def _step(step: Step, public: Callable[[str], str]) -> Step:
    return step.model_copy(
        update={
            "arguments": _value(step.arguments, public),
            "calls": tuple(_call(call, public) for call in step.calls),
            "note": _value(step.note, public),
            "error": _value(step.error, public),
        }
    )


def _call(call: FunctionCall, public: Callable[[str], str]) -> FunctionCall:
    return call.model_copy(update={"arguments": _value(call.arguments, public)})


def _value(value: Any, public: Callable[[str], str]) -> Any:
    """A JSON value with every text in it made public."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, list | tuple):
        return [_value(one, public) for one in value]
    if isinstance(value, dict):
        return {name: _value(one, public) for name, one in value.items()}
    return value
