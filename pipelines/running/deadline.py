"""How a late answer is ended: a run has a deadline, and shares of its time are kept for what must still follow.

Choosing functions, searches and reviews stop when only the time for writing is left (`to_choose`, `to_search`): the run
then writes from what it has found, with a note for the reviewer. A call that writes is given `to_write` seconds; if it
is not done by then, the run raises `RunTimeout`, and the failed draft keeps the question.
"""

from __future__ import annotations

from time import perf_counter

from pipelines.running.answer_limits import AnswerLimits

SEARCH_SHARE = 0.05
"""Share of a run's time that is reserved for searches when calls are chosen."""


class Deadline:
    """The remaining seconds of a run, which begin to pass when it is built."""

    def __init__(self, limits: AnswerLimits) -> None:
        self._limits = limits
        self._started = perf_counter()

    @property
    def to_search(self) -> float:
        """Seconds until only the time for writing is left; negative afterwards."""
        return self.to_write - self._limits.writing_share * self._limits.deadline_seconds

    @property
    def to_choose(self) -> float:
        """Seconds until the time reserved for searches begins; negative afterwards."""
        return self.to_search - SEARCH_SHARE * self._limits.deadline_seconds

    @property
    def to_write(self) -> float:
        """Seconds until the run is over."""
        return self._limits.deadline_seconds - (perf_counter() - self._started)
