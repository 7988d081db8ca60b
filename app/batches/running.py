"""Feedback on many submissions; each is a draft under its own key, so that no run asks twice."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from app.answering.asked_question import IdempotencyKey
from app.answering.homework import request_of_files
from app.answering.question import asked_in
from app.answering.service import Answering
from app.batches.layouts import Submitted
from app.batches.people import BatchDetectors, names_of
from app.response import AnswerResponse
from app.schemas import PersonIn
from app.wiring import Services
from core.access import LOCAL_ACCESS
from core.errors import EduModError
from core.files import readable
from core.review import Outcome
from core.types import Passage
from core.validation import problems_in
from pipelines import FEEDBACK_PIPELINES

log = logging.getLogger("edumod")

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
    """One run over submissions to an exercise; stops starting new ones at `max_cost` US dollars."""

    services: Services
    course: str
    exercise: Passage
    model: str | None = None
    max_cost: float | None = None
    people: Mapping[str, PersonIn] = field(default_factory=dict)
    """Who handed in and who stands in the worksheet, by identifier: no model sees their names."""
    _spent: float = 0.0

    async def run(self, submissions: Sequence[Submitted], progress: Progress) -> list[BatchRow]:
        """A row for each submission, in order; failures cost only their own row."""
        # A run that was killed left drafts in work; this one takes them over at once.
        await self.services.store.processes.forget_crashed()
        detectors = BatchDetectors(self.services.store.rosters, everybody=names_of(self.people.values()))
        answering = replace(self.services.answering, detectors=detectors)
        room = asyncio.Semaphore(PER_PROCESS * self.services.pool.workers)
        done = 0

        async def one(submitted: Submitted) -> BatchRow:
            nonlocal done
            async with room:
                row = await self._row(answering, submitted)
            done += 1
            progress(done, len(submissions))
            return row

        return await asyncio.gather(*map(one, submissions))

    async def _row(self, answering: Answering, submitted: Submitted) -> BatchRow:
        if self.max_cost is not None and self._spent >= self.max_cost:
            return BatchRow(
                submitted, RowState.NOT_ASKED, problem="The cost limit was reached before this one was asked."
            )
        if submitted.problem:
            return BatchRow(submitted, RowState.FAILED, problem=submitted.problem)
        try:
            response = await self._answer(answering, submitted)
        except Exception as error:  # One submission costs no other its row.
            return BatchRow(submitted, RowState.FAILED, problem=_problem(error))
        is_new = not response.is_replay
        cost = response.usage.cost_usd if is_new else 0.0
        self._spent += cost or 0.0
        row = BatchRow(
            submitted, RowState.DRAFTED, response.answer, draft_id=response.draft_id, is_new=is_new, cost_usd=cost
        )
        return await self._as_decided(row)

    async def _answer(self, answering: Answering, submitted: Submitted) -> AnswerResponse:
        settings = self.services.settings
        own = [person] if (person := self.people.get(submitted.identifier)) else []
        request = await request_of_files(
            self.course,
            self.exercise,
            submitted.identifier,
            submitted.files,
            settings,
            self.services.assistant.reader,
            own,
        )
        asked = await asked_in(request, settings, LOCAL_ACCESS)
        choices = {"pipeline": FEEDBACK_PIPELINES[0].name, **({"model": self.model} if self.model else {})}
        # Whom a worksheet names changes no submission.
        work = request.model_copy(update={"people": []}).model_dump_json()
        content = f"{self.exercise.block_id} {submitted.identifier} {choices} {work}"
        digest = hashlib.sha256(content.encode()).hexdigest()
        key = IdempotencyKey(f"batch-{digest[:32]}", digest)
        return await answering.answer(asked, choices, key)

    async def _as_decided(self, row: BatchRow) -> BatchRow:
        decision = await self.services.store.decisions.of(row.draft_id)
        if decision is None:
            return row
        if decision.outcome == Outcome.DISCARDED:
            return replace(row, state=RowState.DISCARDED, text="", problem="Staff discarded the draft.")
        return replace(row, state=RowState.REVIEWED, text=decision.text or row.text)


def _problem(error: Exception) -> str:
    if isinstance(error, EduModError):
        return error.public
    if isinstance(error, ValidationError):
        return problems_in(error)
    if isinstance(error, OSError):
        return readable(f"{Path(error.filename or '').name} cannot be read: {error.strerror or error}.".lstrip())
    log.error("A submission failed", exc_info=error)
    return "An unexpected error; see the log on stderr."
