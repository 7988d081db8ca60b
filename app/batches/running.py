"""Feedback on many submissions. Each is a draft under a key of its own, so that no batch asks anything twice."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.answering.asked import IdempotencyKey
from app.answering.homework import request_of_files
from app.answering.question import asked_in
from app.batches.layouts import Submitted
from app.response import AnswerResponse
from app.wiring import Services
from core.access import LOCAL_ACCESS
from core.errors import EduModError
from core.review import Outcome
from core.types import Passage
from pipelines import FEEDBACK_PIPELINES

PER_PROCESS = 2
"""Submissions under way for each process that computes."""

Progress = Callable[[int, int], None]


class RowState(StrEnum):
    """What became of a submission."""

    DRAFTED = "drafted"
    REVIEWED = "reviewed"
    DISCARDED = "discarded"
    FAILED = "failed"
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class BatchRow:
    """A submission with its feedback in Markdown; `problem` says why there is none."""

    submitted: Submitted
    state: RowState
    text: str = ""
    problem: str = ""
    draft_id: str = ""
    is_new: bool = False
    cost_usd: float | None = 0.0


@dataclass
class Batch:
    """One run over submissions to an exercise. No new one is begun once `max_cost` US dollars are spent."""

    services: Services
    course: str
    exercise: Passage
    model: str | None = None
    max_cost: float | None = None
    _spent: float = 0.0

    async def run(self, submissions: Sequence[Submitted], progress: Progress) -> list[BatchRow]:
        """A row for each submission, in order. What fails costs its own row."""
        # A run that was killed left drafts in work; this one takes them over at once.
        await self.services.store.processes.forget_crashed()
        room = asyncio.Semaphore(PER_PROCESS * self.services.pool.workers)
        done = 0

        async def one(submitted: Submitted) -> BatchRow:
            nonlocal done
            async with room:
                row = await self._row(submitted)
            done += 1
            progress(done, len(submissions))
            return row

        return await asyncio.gather(*map(one, submissions))

    async def _row(self, submitted: Submitted) -> BatchRow:
        if self.max_cost is not None and self._spent >= self.max_cost:
            return BatchRow(submitted, RowState.NOT_ASKED, problem="The cost limit was reached before it.")
        try:
            response = await self._answer(submitted)
        except (EduModError, OSError) as error:
            problem = error.public if isinstance(error, EduModError) else f"{error}."
            return BatchRow(submitted, RowState.FAILED, problem=problem)
        is_new = not response.is_replay
        cost = response.usage.cost_usd if is_new else 0.0
        self._spent += cost or 0.0
        row = BatchRow(
            submitted, RowState.DRAFTED, response.answer, draft_id=response.draft_id, is_new=is_new, cost_usd=cost
        )
        return await self._as_decided(row)

    async def _answer(self, submitted: Submitted) -> AnswerResponse:
        settings = self.services.settings
        reader = self.services.assistant.reader
        request = await request_of_files(
            self.course, self.exercise, submitted.identifier, submitted.files, settings, reader
        )
        asked = await asked_in(request, settings, LOCAL_ACCESS)
        choices = {"pipeline": FEEDBACK_PIPELINES[0].name, **({"model": self.model} if self.model else {})}
        content = f"{self.exercise.block_id} {submitted.identifier} {choices} {request.model_dump_json()}"
        digest = hashlib.sha256(content.encode()).hexdigest()
        key = IdempotencyKey(f"batch-{digest[:32]}", digest)
        return await self.services.answering.answer(asked, choices, key)

    async def _as_decided(self, row: BatchRow) -> BatchRow:
        """With the text that staff decided on, if they have."""
        decision = await self.services.store.decisions.of(row.draft_id)
        if decision is None:
            return row
        if decision.outcome == Outcome.DISCARDED:
            return replace(row, state=RowState.DISCARDED, text="", problem="Staff discarded the draft.")
        return replace(row, state=RowState.REVIEWED, text=decision.text or row.text)
