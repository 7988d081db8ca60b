"""The page at `/homework`, which works without JavaScript."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from app.answering.homework import homework_request
from app.problems import log_failure
from app.routes.parameters import Asker
from app.routes.sent_forms import answer_form
from app.routes.services import Wired
from app.schemas import AnswerParameters, FeedbackRequest
from app.web.render import html_response
from app.wiring import Services
from core.access import Access, Permission
from core.errors import EduModError, InvalidInput, UnknownName
from core.validation import problems_in
from pipelines import FEEDBACK_PIPELINES

router = APIRouter(include_in_schema=False)

MAX_NAME_CHARS = 50


@router.get("/homework", response_class=HTMLResponse)
async def hand_in(
    services: Wired, access: Asker, course: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """The empty form, with the questions of the course's assignments."""
    return await _page(services, access, {"course": course} if course else {})


@router.post("/homework", response_class=HTMLResponse)
async def submit_work(
    services: Wired,
    access: Asker,
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
        parameters = AnswerParameters(pipeline=FEEDBACK_PIPELINES[0].name)
        return await answer_form(services, access, question, parameters, ask)
    except ValidationError as error:
        return await _page(services, access, typed, 422, problems_in(error))
    except EduModError as error:
        log_failure(error)
        return await _page(services, access, typed, error.status, error.public)


async def _page(
    services: Services, access: Access, typed: dict[str, Any], status: int = 200, error: str | None = None
) -> HTMLResponse:
    courses = await services.store.courses.all(access.courses(Permission.ANSWER))
    ids = [one.id for one in courses]
    course = typed.get("course") if typed.get("course") in ids else next(iter(ids), None)
    exercises = await services.assistant.exercises(course) if course else []
    return await html_response(
        "feedback.html",
        status,
        typed=typed,
        courses=courses,
        course=course,
        assignments=[(title, list(some)) for title, some in groupby(exercises, key=lambda one: one.title)],
        offline=services.is_offline,
        model=services.models.model,
        error=error,
        key=uuid4().hex,
    )
