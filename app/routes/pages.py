"""The page at `/`, which works without JavaScript."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app.answering.asked_question import IdempotencyKey
from app.answering.question import asked_in, idempotency_key
from app.answers import visible_work, waiting_answer
from app.people.rules import needs
from app.problems import log_failure
from app.routes.services import Wired
from app.schemas import AnswerParameters, AnswerRequest
from app.views import View
from app.web.render import render
from app.wiring import Services
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError
from core.validation import problems_in
from pipelines import PIPELINES
from retrievers import RETRIEVERS

router = APIRouter(include_in_schema=False)

Mine = Annotated[Access, needs(Permission.ANSWER)]


@router.get("/", response_class=HTMLResponse)
async def ask(services: Wired, access: Mine) -> HTMLResponse:
    """The empty form."""
    return HTMLResponse(await _page(services, access, {}))


@router.post("/", response_class=HTMLResponse)
async def submit_question(
    request: Request,
    services: Wired,
    access: Mine,
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
                "question": {"title": title, "body": body.strip(), "category": category.strip() or None},
                "author": {"consent": consent or None},
                **about,
            }
        )
        access.demand(Permission.ANSWER, question.course)
        parameters = AnswerParameters(pipeline=pipeline or None, retriever=retriever or None)
        asked_now = await asked_in(question, services.settings, access)
        # The same form sent twice is one question.
        key = await idempotency_key(ask, question, parameters, access) if ask else None
        key = key and IdempotencyKey(f"{ask}-{key.fingerprint[:16]}", key.fingerprint)
        response = await services.answering.answer(asked_now, parameters.choices, key)
    except ValidationError as error:
        return HTMLResponse(await _page(services, access, asked, error=problems_in(error)), 422)
    except EduModError as error:
        log_failure(error)
        return HTMLResponse(await _page(services, access, asked, error=error.public), error.status)
    if services.store.drafts.waits(response.draft_id):
        # The database is away: what it does not have cannot be read from there.
        view = await View.of(access, question.course, services.store)
        shown = view.answer(waiting_answer(question, response))
        work = visible_work(shown)
        page = await in_thread(
            lambda: render("answer.html", answer=shown, work=work, trace=None, vote=None, may_vote=False)
        )
        return HTMLResponse(page)
    return RedirectResponse(f"/answers/{response.draft_id}", 303)


async def _page(services: Services, access: Access, asked: dict[str, Any], error: str | None = None) -> str:
    courses = await services.store.courses.all(access.courses(Permission.ANSWER))
    return render(
        "ask.html",
        asked=asked,
        courses=courses,
        categories=list(dict.fromkeys(one for course in courses for one in course.config.get("categories", ()))),
        pipelines=PIPELINES,
        retrievers=RETRIEVERS,
        model=services.models.model,
        offline=services.is_offline,
        error=error,
        key=uuid4().hex,
    )
