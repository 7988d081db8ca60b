"""The page at `/homework`, which works without JavaScript."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from app.answering.homework import PICTURE, homework_request
from app.edge.bodies import MAX_FORM_FILES
from app.problems import log_failure
from app.routes.attached import Attached, pictures_in
from app.routes.parameters import Asker
from app.routes.sent_forms import answer_form
from app.routes.services import Wired
from app.schemas import AnswerParameters, FeedbackRequest
from app.web.form_words import in_plain_words, without_settings
from app.web.render import html_response
from app.wiring import Services
from core.access import Access, Permission
from core.errors import EduModError, InvalidInput, UnknownName
from pipelines import FEEDBACK_PIPELINES

router = APIRouter(include_in_schema=False)

MAX_NAME_CHARS = 50
LABELS = {
    "submission": "Your work",
    "question.body": "Your work",
    "assignment": "The assignment",
    "question": "The question of the assignment",
    "course": "The course",
}
"""What the page calls its fields."""


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
    pictures: Attached = (),  # type: ignore[assignment]
) -> Response:
    """Leads to the feedback's own page; with an error, the same page and the input."""
    typed = {"course": course, "exercise": exercise, "submission": submission, "consent": consent}
    try:
        images = await pictures_in(services, pictures)
        if not submission.strip() and not images:
            raise InvalidInput("Your work is missing. Write it into the form, or attach pictures of it.")
        access.demand(Permission.ANSWER, course)
        known = await services.assistant.exercises(course)
        if (chosen := next((one for one in known if one.block_id == exercise), None)) is None:
            raise UnknownName("question", exercise, sorted({one.title for one in known}))
        request = FeedbackRequest.model_validate(
            {
                "course": course,
                "assignment": chosen.title,
                "question": chosen.label or chosen.heading_path[-1][:MAX_NAME_CHARS],
                "submission": submission if submission.strip() else PICTURE,
                "author": {"consent": consent or None},
            }
        )
        question = await homework_request(request, chosen, services.settings, services.assistant.reader)
        question.question.images = images
        parameters = AnswerParameters(pipeline=FEEDBACK_PIPELINES[0].name)
        return await answer_form(services, access, question, parameters, ask)
    except ValidationError as error:
        return await _page(services, access, typed, 422, in_plain_words(error, LABELS))
    except EduModError as error:
        log_failure(error)
        return await _page(services, access, typed, error.status, without_settings(error.public, LABELS))


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
        most_bytes=services.settings.max_image_bytes,
        most_pictures=MAX_FORM_FILES,
        key=uuid4().hex,
    )
