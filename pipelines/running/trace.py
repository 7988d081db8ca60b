"""The steps of a run with their cost. Also stored if the run fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from core.errors import public_reason
from core.telemetry import step_span
from core.types import FoundPassage, FunctionCall, Passage, Step, StepKind, Usage, Visibility

Details = dict[str, Any]
"""Fields of a step, filled in while it runs; the model's `reply` goes only into its span."""

Watch = Callable[[FunctionCall | Step], None]
"""Called for each function call as it starts, and for each step as it ends."""


NOTHING = Usage()


class Trace:
    """Steps in the order in which they ended, and the sum of their usages and of the usage `spent` before."""

    def __init__(self, spent: Usage = NOTHING) -> None:
        self.steps: list[Step] = []
        self.usage = spent
        self.watch: Watch = lambda event: None
        self._started = perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return perf_counter() - self._started

    @contextmanager
    def step(self, kind: StepKind) -> Iterator[Details]:
        """A step with the details filled in by its body; an exception is recorded as its error and re-raised."""
        started = self.seconds
        details: Details = {}
        with step_span(kind) as span:
            try:
                yield details
            except BaseException as error:
                details["error"] = public_reason(error)
                raise
            finally:
                reply = details.pop("reply", None)
                span.end(self._end_step(kind, started, details), reply)

    def _end_step(self, kind: StepKind, started: float, details: Details) -> Step:
        usage = details.pop("usage", Usage())
        self.usage += usage
        spent = usage.calls or usage.cached_calls
        times = {"started_ms": round(1000 * started, 2), "ms": round(1000 * (self.seconds - started), 2)}
        step = Step(kind=kind, usage=usage if spent else None, **times, **details)
        self.steps.append(step)
        self.watch(step)
        return step


def traced_passages(passages: tuple[Passage, ...]) -> tuple[FoundPassage, ...]:
    """Passages for a trace: without staff-only ones, whose documents and headings students must not see."""
    return tuple(
        FoundPassage(
            block_id=passage.block_id,
            document=passage.document,
            heading_path=passage.heading_path,
            score=round(passage.score, 6),
            path=passage.path,
        )
        for passage in passages
        if passage.visibility is Visibility.STUDENT
    )
