"""Answers the question of a page's form, and shows the answer."""

from __future__ import annotations

from fastapi.responses import RedirectResponse, Response

from app.answering.asked_question import IdempotencyKey
from app.answering.question import asked_in, idempotency_key
from app.answers import visible_work, waiting_answer
from app.schemas import AnswerParameters, AnswerRequest
from app.views import View
from app.web.render import html_response
from app.wiring import Services
from core.access import Access


async def answer_form(
    services: Services, access: Access, question: AnswerRequest, parameters: AnswerParameters, form_id: str
) -> Response:
    """Lead to the answer's own page; a form sent twice is one question. Raises `EduModError`."""
    asked = await asked_in(question, services.settings, access)
    key = await idempotency_key(form_id, question, parameters, access) if form_id else None
    key = key and IdempotencyKey(f"{form_id}-{key.fingerprint[:16]}", key.fingerprint)
    response = await services.answering.answer(asked, parameters.choices, key)
    if not services.store.drafts.waits(response.draft_id):
        return RedirectResponse(f"/answers/{response.draft_id}", 303)
    # The database is away, so the answer's page cannot be read from there.
    view = await View.of(access, question.course, services.store)
    answer = view.answer(waiting_answer(question, response))
    work = visible_work(answer)
    return await html_response("answer.html", answer=answer, work=work, trace=None, vote=None, may_vote=False)
