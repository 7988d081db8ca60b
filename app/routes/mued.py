"""`/mued/{course}/chat`: clients of muEd's API ask a course. The course is the service that they know."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from app.answering.delivery import IdempotencyHeader
from app.doors.addresses import base_of
from app.doors.asking import prepare_answer
from app.doors.mued import VERSIONS, MuEdChat, chat_reply, error_body, error_reply, health, question_of
from app.problems import log_failure
from app.routes.parameters import Asker, CourseId
from app.routes.services import Wired
from app.schemas import AnswerParameters
from core.access import Permission
from core.errors import EduModError
from core.validation import problems_in

router = APIRouter(prefix="/mued/{course_id}", include_in_schema=False)

VERSION_HEADER = "X-Api-Version"


@router.post("/chat")
async def chat(
    course_id: CourseId, services: Wired, access: Asker, http: Request, key: IdempotencyHeader = None
) -> Response:
    """Answer the last message of a conversation."""
    access.demand(Permission.ANSWER, course_id)
    version = http.headers.get(VERSION_HEADER, VERSIONS[0])
    if version not in VERSIONS:
        return _reply(error_body("VERSION_NOT_SUPPORTED", f"Versions: {', '.join(VERSIONS)}."), 406)
    try:
        sent = MuEdChat.model_validate_json(await http.body())
        question = question_of(sent, course_id)
        work = await prepare_answer(services, access, question, AnswerParameters(), base_of(http), key)
        return _reply(chat_reply(await work()))
    except ValidationError as error:
        return _reply(error_body("VALIDATION_ERROR", problems_in(error)), 400)
    except EduModError as error:
        log_failure(error)
        status, body = error_reply(error)
        return _reply(body, status)


@router.get("/chat/health")
async def chat_health(course_id: CourseId, services: Wired, access: Asker) -> Response:
    """Whether questions of the course can be answered now."""
    access.demand(Permission.ANSWER, course_id)
    return _reply(health(await services.readiness()))


@router.post("/evaluate")
@router.get("/evaluate/health")
async def evaluate(course_id: CourseId, access: Asker) -> Response:
    """Not served: feedback on homework is `POST /feedback`."""
    access.demand(Permission.ANSWER, course_id)
    return _reply(error_body("NOT_IMPLEMENTED", "This service chats. Feedback on homework is POST /feedback."), 501)


def _reply(body: dict[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(body, status, headers={VERSION_HEADER: VERSIONS[0]})
