"""The page at `/`, which works without JavaScript."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from app.edge.bodies import MAX_FORM_FILES
from app.problems import log_failure
from app.routes.attached import Attached, pictures_in
from app.routes.parameters import Asker
from app.routes.sent_forms import answer_form
from app.routes.services import Wired
from app.schemas import AnswerParameters, AnswerRequest
from app.web.form_words import in_plain_words, without_settings
from app.web.render import html_response
from app.wiring import Services
from core.access import Access, Permission
from core.errors import EduModError
from pipelines import PIPELINES
from retrievers import RETRIEVERS

router = APIRouter(include_in_schema=False)

LABELS = {
    "question.body": "Your question",
    "body": "Your question",
    "question.title": "The title",
    "title": "The title",
    "category": "The category",
    "code": "Your code",
    "line": "The line",
    "exercise": "The exercise",
    "tests": "What the tests said",
    "programming_language": "The programming language",
    "course": "The course",
}
"""What the page calls its fields."""


@router.get("/", response_class=HTMLResponse)
async def ask(services: Wired, access: Asker) -> HTMLResponse:
    """The empty form."""
    return await ask_page(services, access, {})


@router.post("/", response_class=HTMLResponse)
async def submit_question(
    request: Request,
    services: Wired,
    access: Asker,
    course: Annotated[str, Form()] = "",
    title: Annotated[str, Form()] = "",
    body: Annotated[str, Form()] = "",
    category: Annotated[str, Form()] = "",
    pipeline: Annotated[str, Form()] = "",
    retriever: Annotated[str, Form()] = "",
    consent: Annotated[bool, Form()] = False,
    code: Annotated[str, Form()] = "",
    line: Annotated[str, Form()] = "",
    programming_language: Annotated[str, Form()] = "",
    exercise: Annotated[str, Form()] = "",
    tests: Annotated[str, Form()] = "",
    ask: Annotated[str, Form(max_length=100)] = "",
    pictures: Attached = (),  # type: ignore[assignment]
) -> Response:
    """Leads to the answer's own page, which can be loaded again; with an error, the same page and the input."""
    asked = {
        "course": course,
        "title": title,
        "body": body,
        "category": category,
        "pipeline": pipeline,
        "retriever": retriever,
        "consent": consent,
    }
    about = {"programming_language": programming_language, "exercise": exercise, "tests": tests, "line": line}
    about = (
        {"code": code, **{name: text.strip() for name, text in about.items() if text.strip()}} if code.strip() else {}
    )
    asked |= about
    try:
        question = AnswerRequest.model_validate(
            {
                "course": course,
                "question": {
                    "title": title,
                    "body": body.strip(),
                    "category": category.strip() or None,
                    "images": await pictures_in(services, pictures),
                },
                "author": {"consent": consent or None},
                **about,
            }
        )
        access.demand(Permission.ANSWER, question.course)
        parameters = AnswerParameters(pipeline=pipeline or None, retriever=retriever or None)
        return await answer_form(services, access, question, parameters, ask)
    except ValidationError as error:
        return await ask_page(services, access, asked, 422, in_plain_words(error, LABELS))
    except EduModError as error:
        log_failure(error)
        return await ask_page(services, access, asked, error.status, without_settings(error.public, LABELS))


async def ask_page(
    services: Services, access: Access, asked: dict[str, Any], status: int = 200, error: str | None = None
) -> HTMLResponse:
    """The form with what was typed, and what is wrong with it."""
    courses = await services.store.courses.all(access.courses(Permission.ANSWER))
    return await html_response(
        "ask.html",
        status,
        asked=asked,
        courses=courses,
        categories=list(dict.fromkeys(one for course in courses for one in course.config.get("categories", ()))),
        pipelines=PIPELINES,
        retrievers=RETRIEVERS,
        model=services.models.model,
        offline=services.is_offline,
        error=error,
        most_bytes=services.settings.max_image_bytes,
        most_pictures=MAX_FORM_FILES,
        key=uuid4().hex,
    )
