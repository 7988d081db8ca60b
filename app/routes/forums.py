"""`POST /forums/{course_id}/webhook`: a forum tells that something happened. Its signature is its key."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.forums.shape import BadSignature
from app.people.rules import ANYONE
from app.problems import responses
from app.routes.parameters import CourseId
from app.routes.services import Wired
from core.errors import Forbidden

router = APIRouter(tags=["forums"])


@router.post(
    "/forums/{course_id}/webhook", status_code=202, dependencies=[ANYONE], responses=responses(403, 413, 422, 503)
)
async def forum_webhook(course_id: CourseId, services: Wired, http: Request) -> Response:
    """Where a course's forum sends its events. One that it did not sign changes nothing."""
    headers = {name.lower(): value for name, value in http.headers.items()}
    try:
        await services.forums.notice(course_id, headers, await http.body())
    except BadSignature as error:
        raise Forbidden(f"{error} Give the forum's webhook the secret that the service has.") from error
    return Response(status_code=202)
