"""The page at `/homework`, which works without JavaScript."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app.answering.asked_question import IdempotencyKey
from app.answering.homework import homework_request
from app.answering.question import asked_in, idempotency_key
from app.answers import visible_work, waiting_answer
from app.people.rules import needs
from app.problems import log_failure
from app.routes.services import Wired
from app.schemas import AnswerParameters, FeedbackRequest
from app.views import View
from app.web.render import render
from app.wiring import Services
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError, InvalidInput, UnknownName
from core.validation import problems_in
from pipelines import FEEDBACK_PIPELINES

router = APIRouter(include_in_schema=False)

MAX_NAME_CHARS = 50
Mine = Annotated[Access, needs(Permission.ANSWER)]


@router.get("/homework", response_class=HTMLResponse)
async def hand_in(
    services: Wired, access: Mine, course: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """The empty form, with the questions of the course's assignments."""
    return HTMLResponse(await _page(services, access, {"course": course} if course else {}))


@router.post("/homework", response_class=HTMLResponse)
async def submit_work(
    services: Wired,
    access: Mine,
    course: Annotated[str, Form()] = "",
    exercise: Annotated[str, Form()] = "",
    submission: Annotated[str, Form()] = "",
    consent: Annotated[bool, Form()] = False,
    ask: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Leads to the feedback's own page; with an error, the same page and the input."""
    typed = {"course": course, "exercise": exercise, "submission": submission, "consent": consent}
    try:
        if not submission.strip():
            raise InvalidInput("Your work is missing. Write it into the form.")
        access.demand(Permission.ANSWER, course)
        known = await services.assistant.exercises(course)
        if (chosen := next((one for one in known if one.block_id == exercise), None)) is None:
            raise UnknownName("question", exercise, sorted({one.title for one in known}))
        request = FeedbackRequest.model_validate(
            {
                "course": course,
                "assignment": chosen.title,
                "question": chosen.label or chosen.heading_path[-1][:MAX_NAME_CHARS],
                "submission": submission,
                "author": {"consent": consent or None},
            }
        )
        question = await homework_request(request, chosen, services.settings, services.assistant.reader)
        asked = await asked_in(question, services.settings, access)
        parameters = AnswerParameters(pipeline=FEEDBACK_PIPELINES[0].name)
        # The same form sent twice is one submission.
        key = await idempotency_key(ask, question, parameters, access) if ask else None
        key = key and IdempotencyKey(f"{ask}-{key.fingerprint[:16]}", key.fingerprint)
        response = await services.answering.answer(asked, parameters.choices, key)
    except ValidationError as error:
        return HTMLResponse(await _page(services, access, typed, error=problems_in(error)), 422)
    except EduModError as error:
        log_failure(error)
        return HTMLResponse(await _page(services, access, typed, error=error.public), error.status)
    if services.store.drafts.waits(response.draft_id):
        # The database is away: what it does not have cannot be read from there.
        view = await View.of(access, course, services.store)
        shown = view.answer(waiting_answer(question, response))
        work = visible_work(shown)
        page = await in_thread(
            lambda: render("answer.html", answer=shown, work=work, trace=None, vote=None, may_vote=False)
        )
        return HTMLResponse(page)
    return RedirectResponse(f"/answers/{response.draft_id}", 303)


async def _page(services: Services, access: Access, typed: dict[str, Any], error: str | None = None) -> str:
    courses = await services.store.courses.all(access.courses(Permission.ANSWER))
    ids = [one.id for one in courses]
    course = typed.get("course") if typed.get("course") in ids else next(iter(ids), None)
    exercises = await services.assistant.exercises(course) if course else []
    return render(
        "feedback.html",
        typed=typed,
        courses=courses,
        course=course,
        assignments=[(title, list(some)) for title, some in groupby(exercises, key=lambda one: one.title)],
        offline=services.is_offline,
        model=services.models.model,
        error=error,
        key=uuid4().hex,
    )
