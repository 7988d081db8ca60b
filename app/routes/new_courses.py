"""`POST /courses`: an operator starts a course in the browser; its files are sent next."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app import request_id
from app.new_courses import new_course
from app.people.rules import needs
from app.routes.catalog import courses_page
from app.routes.services import Wired
from app.schemas import Text
from core.access import Access, Permission
from core.errors import EduModError
from core.store.people.audit import AuditEntry

router = APIRouter(include_in_schema=False)

MAX_CHARS = 200

Typed = Annotated[Text, Form(max_length=MAX_CHARS)]


@router.post("/courses", response_class=HTMLResponse)
async def start_course(
    services: Wired,
    access: Annotated[Access, needs(Permission.OPERATE)],
    course: Typed = "",
    title: Typed = "",
    time_zone: Typed = "",
) -> Response:
    """Creates the course, and leads to where its files are sent. What was typed is kept where it is refused."""
    typed = {"id": course.strip(), "title": title.strip(), "time_zone": time_zone.strip()}
    try:
        created = await new_course(services.store, {name: value for name, value in typed.items() if value})
    except EduModError as error:
        return await courses_page(services, access, error.status, error=error.public, typed=typed)
    await services.store.audit.add(
        AuditEntry(access.actor, "course.new", created.id, None, request_id.current(), {"title": created.title})
    )
    return RedirectResponse(f"/courses/{quoted(created.id)}/files", 303)
