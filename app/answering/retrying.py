"""Answers the questions of failed drafts again."""

from __future__ import annotations

from dataclasses import replace

from pydantic import ValidationError

from app.answering.question import asked_again
from app.answering.service import Answering
from app.response import AnswerResponse
from app.schemas import AnswerParameters
from core.access import Reach
from core.errors import NotRetryable
from core.quotas import Subject


async def retry(answering: Answering, draft_id: str, reach: Reach, key: Subject | None = None) -> AnswerResponse:
    """Answer a failed draft's question again, in the same draft and with the parameters of its request.

    `key` pays for it, or else the one that asked.

    Raises `NotFound`, `NotRetryable` if the draft is in work, has an answer or holds no question, and the errors of
    `Answering.answer`.
    """
    drafts = answering.store.drafts
    if drafts.waits(draft_id):
        await drafts.store_waiting()
    draft = await drafts.get(draft_id, reach)
    if draft.request is None:
        raise NotRetryable(f"The draft {draft_id} holds no question, so it cannot be answered.")
    try:
        asked = replace(await asked_again(draft.request, await answering.store.pictures.of(draft_id)), key=key)
        choices = AnswerParameters.model_validate(draft.parameters or {}).choices
    except ValidationError as error:
        raise NotRetryable(f"The draft {draft_id} was stored by a version whose requests were different.") from error
    return await answering.answer_draft(draft, asked, choices)
