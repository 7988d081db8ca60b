"""What is measured about the service, whoever keeps the figures."""

from __future__ import annotations

from collections.abc import Sequence

from app.jobs.kind import LaneState
from core.llm.breaker import Breaker
from core.types import Step, Usage


class Measures:
    """Called as things happen. This one keeps nothing; `app.operation.metrics` keeps figures for Prometheus."""

    def requested(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """A request was answered; `route` is the template of its address, None where there is no such address."""

    def load(self, under_way: int, waiting: int) -> None:
        """How many answers are under way in this process, and how many requests wait for their turn."""

    def refused(self) -> None:
        """A request was refused, since too many waited or it waited too long."""

    def called(self, model: str, usage: Usage, outcome: str, breaker: Breaker | None) -> None:
        """A model was given a task: `ok`, `cached`, `cancelled` or the code of the error."""

    def stepped(self, step: Step) -> None:
        """A step of a run has ended."""

    def answered(self, course: str, pipeline: str, outcome: str, seconds: float) -> None:
        """A run has ended: with the status of its answer, or the code of the error."""

    def unstored(self, drafts: int) -> None:
        """How many drafts wait in this process's memory for the database."""

    def jobs(self, lanes: Sequence[LaneState], failed: int) -> None:
        """What waits and runs in the queues, and how many jobs have failed for good; of all processes together."""
