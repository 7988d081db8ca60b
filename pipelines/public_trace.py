"""The public trace of a run: its steps and calls, without staff-only texts that models repeated in them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from pipelines.run import Run
from pipelines.running.public_steps import Event, PublicTrace, public_call, public_step, with_texts
from safeguards import WITHHELD

log = logging.getLogger("edumod")
Public = Callable[[Sequence[str]], list[str]]
"""What `Run.public` returns."""


def public_trace(run: Run) -> PublicTrace:
    """The run's trace with arguments, notes and errors passed through `Run.public` together.

    If the run holds secrets, this takes as long as the check of an answer, so call it in a thread.
    """
    return _trace_with(run, _public_texts([*run.steps, *run.calls], run.public()))


def publish(run: Run, warnings: Sequence[str]) -> tuple[PublicTrace, tuple[str, ...]]:
    """The run's trace as `public_trace` gives it, and the distinct warnings of its answer, checked together with it.

    A fault of ours in the trace leaves it empty.
    """
    try:
        text = _public_texts((*run.steps, *run.calls), run.public(), warnings)
        trace = _trace_with(run, text)
    except Exception:
        log.exception("The public trace of a run could not be made, so it is left out")
        text, trace = _public_texts((), run.public(), warnings), PublicTrace((), ())
    return trace, tuple(dict.fromkeys(map(text, warnings)))


def _trace_with(run: Run, text: Callable[[str], str]) -> PublicTrace:
    return PublicTrace(
        steps=tuple(public_step(step, text) for step in run.steps),
        calls=tuple(public_call(call, text) for call in run.calls),
    )


def public_event(public: Public, before: Sequence[Event], event: Event) -> Event:
    """A call or step that may be shown during its run, after those `before`.

    `public` is what `Run.public` returned at the event.
    """
    return with_texts(event, _public_texts([*before, event], public))


def _public_texts(events: Sequence[Event], public: Public, beside: Sequence[str] = ()) -> Callable[[str], str]:
    """Gives each text of the events, and of those `beside` them, as `public` makes it; a note if nothing is left."""
    texts = dict.fromkeys(beside)
    for event in events:
        with_texts(event, lambda text: texts.setdefault(text) or text)
    pairs = zip(texts, public([*texts]), strict=True)
    return {text: left if left or not text else WITHHELD for text, left in pairs}.__getitem__
