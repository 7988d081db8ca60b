"""Stored answers, as whoever asked may see them."""

from __future__ import annotations

import asyncio
from typing import Any

from app.response import AnswerResponse
from app.schemas import AnswerOut, AnswerRequest, AskedOut, FailureOut
from app.views import View
from app.web.numbered import NumberedWork, work_of
from core.access import Access, Permission, Reach
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, now
from core.types import Status, Visibility

MAX_WAIT_SECONDS = 25.0
"""Longest long poll: proxies end silent connections after thirty seconds or more."""
POLL_SECONDS = 0.5
"""How often a long poll looks into the database: another process may decide."""


async def read_answer(store: Store, draft_id: str, access: Access) -> AnswerOut:
    """The stored answer as its reader may see it. Raises `NotFound` and `StorageUnavailable`."""
    answer = await _read_stored_answer(store, draft_id, access.reach(Permission.DRAFTS_READ, or_own=True))
    view = await View.of(access, answer.course_id, store)
    return view.answer(answer, await view.decision(answer.id, answer.state))


async def wait_for_answer(store: Store, draft_id: str, access: Access, seconds: float) -> AnswerOut:
    """The answer once it is there, or the question has failed; at the latest after `seconds`. Raises as
    `read_answer`."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        answer = await read_answer(store, draft_id, access)
        left = end - asyncio.get_running_loop().time()
        if answer.status is not None or answer.error is not None or left <= 0:
            return answer
        await asyncio.sleep(min(POLL_SECONDS, left))


async def _read_stored_answer(store: Store, draft_id: str, reach: Reach) -> AnswerOut:
    if store.drafts.waits(draft_id):
        await store.drafts.store_waiting()
    draft = await store.drafts.get(draft_id, reach)
    return AnswerOut(
        id=draft.id,
        course_id=draft.course_id,
        created_at=draft.created_at,
        question=AskedOut.of(draft.request),
        code=(draft.request or {}).get("code"),
        state=draft.state,
        **await _outcome(store, draft),
    )


def waiting_answer(request: AnswerRequest, response: AnswerResponse) -> AnswerOut:
    """An answer whose draft waits in memory for the database."""
    return AnswerOut(
        id=response.draft_id,
        course_id=request.course,
        created_at=now(),
        question=AskedOut(title=request.question.title, body=request.question.body),
        code=request.code,
        state=DraftState.PENDING,
        **_answer_fields(response),
    )


def visible_work(answer: AnswerOut) -> NumberedWork | None:
    """The student's code or homework with the visible findings."""
    return work_of(answer.question.body, answer.code, answer.issue, answer.feedback)


async def _outcome(store: Store, draft: DraftRow) -> dict[str, Any]:
    if draft.response is not None:
        return _answer_fields(AnswerResponse.model_validate(draft.response))
    if draft.state == DraftState.REFUSED:
        course = await store.courses.read(draft.course_id)
        return {"status": Status.CONSENT_REQUIRED, "answer": course.sentence(Status.CONSENT_REQUIRED)}
    return {"error": FailureOut.model_validate(draft.error)} if draft.state == DraftState.FAILED else {}


def _answer_fields(response: AnswerResponse) -> dict[str, Any]:
    return {
        "status": response.status,
        "answer": response.answer,
        "confidence": response.confidence,
        "citations": tuple(one for one in response.citations if one.visibility is Visibility.STUDENT),
        "warnings": response.warnings,
        "issue": response.issue,
        "feedback": response.feedback,
        "trace_id": response.trace_id,
        "trace_url": f"/traces/{response.trace_id}" if response.trace_id else None,
    }
