"""`/widget.js` and `/widget/{course}`: the ask box on a course's own page (decision 0081)."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError

from app.doors.addresses import base_of
from app.doors.asking import DoorAnswer, prepare_answer
from app.edge.headers import nonce, policy_of
from app.people.rules import ANYONE, Rule
from app.problems import log_failure
from app.routes.assets import CACHED
from app.routes.pages import LABELS, ask_page
from app.routes.parameters import Asker, CourseId
from app.routes.people import Me
from app.routes.services import Wired
from app.schemas import AnswerParameters, AnswerRequest
from app.web.form_words import in_plain_words, without_settings
from app.web.render import html_response
from core.access import Access, Permission
from core.course import Course
from core.errors import EduModError, NotFound
from core.review import Notice

router = APIRouter(include_in_schema=False)

FROM_BOX = Depends(Rule(Permission.ANSWER, checks_form=False))
"""Whoever may ask. The box in a frame does not know the session, and nothing is changed."""
Question = Annotated[str, Form()]


@router.get("/widget.js", dependencies=[ANYONE])
async def program() -> Response:
    """The script that pages of other sites load."""
    text = (files("app.web") / "static" / "widget.js").read_text(encoding="utf-8")
    headers = CACHED | {"Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(text, media_type="text/javascript", headers=headers)


@router.get("/widget/{course_id}", response_class=HTMLResponse)
async def box(course_id: CourseId, services: Wired, access: Me) -> Response:
    """The box, in a frame of the course's sites. Who is not signed in there asks in a window of their own.

    Browsers keep cookies from frames of other sites, so that is the usual case.
    """
    course = await _course(services, course_id)
    return await _page(course, access)


@router.post("/widget/{course_id}", response_class=HTMLResponse)
async def ask(
    course_id: CourseId,
    services: Wired,
    access: Asker,
    http: Request,
    body: Question = "",
    ask: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Answers in the frame, as whoever asks would see it on the page."""
    course = await _course(services, course_id)
    try:
        question = AnswerRequest.model_validate({"course": course.id, "question": {"body": body.strip()}})
        work = await prepare_answer(services, access, question, AnswerParameters(), base_of(http), ask or None)
        return await _page(course, access, answer=await work())
    except ValidationError as error:
        return await _page(course, access, 422, body=body, error=in_plain_words(error, LABELS))
    except EduModError as error:
        log_failure(error)
        return await _page(course, access, error.status, body=body, error=without_settings(error.public, LABELS))


@router.post("/widget/{course_id}/window", response_class=HTMLResponse)
async def open_window(
    course_id: CourseId, services: Wired, access: Annotated[Access, FROM_BOX], body: Question = ""
) -> Response:
    """The asking page with what was typed in the box."""
    course = await _course(services, course_id)
    access.demand(Permission.ANSWER, course.id)
    return await ask_page(services, access, {"course": course.id, "body": body})


async def _course(services: Wired, course_id: str) -> Course:
    """Raises `NotFound` for a course without a box, whether it exists or not."""
    stored = await services.store.courses.find(course_id)
    if stored is None or not stored.course.widget.origins:
        raise NotFound("There is no ask box of this course: its course file names no `widget.origins`.")
    return stored.course


async def _page(course: Course, access: Access, status: int = 200, **values: Any) -> Response:
    answer: DoorAnswer | None = values.get("answer")
    text = answer.response.answer or course.sentence(Notice.WAITING) if answer else ""
    parts = {"body": "", "error": None, "answer": None, "text": text} | values
    may_ask = access.may(Permission.ANSWER, course.id)
    response = await html_response("widget.html", status, course=course, may_ask=may_ask, key=uuid4().hex, **parts)
    response.headers["Content-Security-Policy"] = policy_of(nonce(), " ".join(course.widget.origins))
    return response
