"""The runs under way in this process: measured, and awaited at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from app import request_id
from app.operation.measures import Measures
from core.errors import EduModError

INTERRUPTED = "interrupted"
"""Outcome of a run that was stopped or met a bug, and code of its draft's error."""


@dataclass
class Ending:
    """How a run ended: the status of its answer, to be set when there is one."""

    outcome: str = INTERRUPTED


class Runs:
    """Counts the runs under way, each up to the storing of its draft."""

    def __init__(self, measures: Measures | None = None) -> None:
        self.measures = measures or Measures()
        self._under_way = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one(self, draft_id: str, course: str, pipeline: str) -> Iterator[Ending]:
        """A run, for as long as the context lasts. Log lines carry its draft's id from now on."""
        request_id.work_on(draft_id)
        self._under_way += 1
        self._none.clear()
        started, ending = perf_counter(), Ending()
        try:
            yield ending
        except EduModError as error:
            ending.outcome = error.code
            raise
        finally:
            self.measures.answered(course, pipeline, ending.outcome, perf_counter() - started)
            self._under_way -= 1
            if not self._under_way:
                self._none.set()

    async def ended(self) -> None:
        """Waits until no run is under way."""
        await self._none.wait()
