"""Stores what became of a draft, and tells the reader if the database cannot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from app.answering.images import pictures_of
from app.response import AnswerResponse
from core.access import KEY_PREFIX
from core.errors import StorageUnavailable
from core.quotas import Subject, subject_of_course, subject_of_key
from core.store.people.usage import Taken
from core.store.store import Store
from core.store.tables import DraftRow, TraceRow

STORED_LATER = "It is kept in the server's memory and stored as soon as possible."
NOT_STORED = "Too many drafts are waiting already: keep a copy of the answer."
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class OutcomeStore:
    store: Store

    async def keep(
        self, draft: DraftRow, begun: asyncio.Future[None] | None, trace: TraceRow, key: Subject | None = None
    ) -> StorageUnavailable | None:
        """Store the outcome of the draft.

        Returns a storage failure instead of raising it: the answer can still be sent, and the draft waits in memory.
        """
        # Both at once: if the answer was quick, one transaction stores the beginning and the end.
        ended = self.store.drafts.end(draft, trace)
        outage = await outage_of(*([begun] if begun is not None else []), ended)
        await self.spend(draft, trace.usage["cost_usd"], key)
        return outage

    async def keep_pictures(self, draft: DraftRow, images: Sequence[bytes]) -> None:
        """Store the pictures of a draft's question, for its reviewer. Without them, what was read in them is there."""
        try:
            await self.store.pictures.add(pictures_of(draft.id, images))
        except StorageUnavailable as error:
            log.error("The pictures of draft %s were not stored. %s", draft.id, error)

    async def spend(self, draft: DraftRow, dollars: float | None, key: Subject | None) -> None:
        """Count what the run has cost for its course, and for the key that was sent, or else the one that asked.

        An unknown price cannot be counted.
        """
        if not dollars:
            return
        subjects = [subject_of_course(draft.course_id)]
        if key is not None:
            subjects.append(key.id)
        elif (asker := draft.asked_by or "").startswith(KEY_PREFIX):
            subjects.append(subject_of_key(asker.removeprefix(KEY_PREFIX)))
        try:
            await self.store.usage.spend(subjects, dollars)
        except StorageUnavailable as error:
            log.error("What draft %s has cost ($%.4f) was not counted. %s", draft.id, dollars, error)

    async def release(self, taken: Taken) -> None:
        """End what was reserved for a run, once its cost is counted."""
        try:
            await self.store.usage.release(taken)
        except StorageUnavailable as error:
            log.error("What was reserved for an answer stays so for up to an hour. %s", error)

    def unstored(self, response: AnswerResponse, outage: StorageUnavailable) -> AnswerResponse:
        """The response with a warning that its draft is not stored yet."""
        waits = self.store.drafts.waits(response.draft_id)
        warning = f"This draft could not be stored yet, since the database cannot be used: {outage.reason}. "
        warning += STORED_LATER if waits else NOT_STORED
        return response.model_copy(update={"warnings": (*response.warnings, warning)})


async def outage_of(*writes: asyncio.Future[None]) -> StorageUnavailable | None:
    """The storage failure of the writes; None if they succeeded. Raises any other error."""
    results = await asyncio.gather(*writes, return_exceptions=True)
    errors = [result for result in results if result is not None]
    for error in errors:
        if isinstance(error, StorageUnavailable):
            return error
    if errors:
        raise errors[0]
    return None
