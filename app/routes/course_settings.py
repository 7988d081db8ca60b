"""`/courses/{course}/settings`: what the course file says that an instructor may change in the browser."""

from __future__ import annotations

from urllib.parse import quote as quoted

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app import request_id
from app.course_settings import SettingsRefused, changes_in, fields_of, read_form, with_sent
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Access, Permission
from core.course import Course
from core.course.editing import course_with
from core.errors import InvalidInput
from core.store.tables import SettingChangeRow
from pipelines import PIPELINES
from retrievers import RETRIEVERS

router = APIRouter(include_in_schema=False)

LATEST = 30
"""Changes in the history of the page."""
CHOICES = {
    "defaults.pipeline": [pipeline.name for pipeline in PIPELINES],
    "defaults.retriever": [retriever.name for retriever in RETRIEVERS],
}


@router.get("/courses/{course_id}/settings", response_class=HTMLResponse)
async def course_settings(course_id: CourseId, services: Wired, access: Admin, saved: int = 0) -> HTMLResponse:
    """The settings with where each comes from, and who changed what."""
    return await _page(services, access, course_id, saved=saved)


@router.post("/courses/{course_id}/settings", response_class=HTMLResponse)
async def save_course_settings(course_id: CourseId, services: Wired, access: Admin, http: Request) -> Response:
    """Saves what is different; with a wrong value, nothing, and the same form with what is wrong at its field."""
    course, held = await _course(services, access, course_id)
    sent = read_form(await http.form())
    try:
        values = changes_in(sent, course, held)
        try:
            changed = course_with(course.model_dump(mode="json"), values)
            services.answering.configuration(changed, {})
        except InvalidInput as error:
            raise SettingsRefused({}, [error.public]) from error
        count = await services.store.courses.change(course_id, values, access.actor, request_id.current())
    except SettingsRefused as error:
        form = with_sent(fields_of(course, CHOICES, held), sent, error)
        return await _page(services, access, course_id, error.status, form=form, error=error.public)
    return RedirectResponse(f"/courses/{quoted(course_id)}/settings?saved={count}", 303)


async def _course(services: Wired, access: Access, course_id: str) -> tuple[Course, dict[str, SettingChangeRow]]:
    access.demand(Permission.COURSE_ADMIN, course_id)
    course = await services.store.courses.read(course_id)
    return course, await services.store.courses.held(course_id)


async def _page(services: Wired, access: Access, course_id: str, status: int = 200, **more: object) -> HTMLResponse:
    course, held = await _course(services, access, course_id)
    values = {
        "course": course,
        "form": fields_of(course, CHOICES, held),
        "held": held,
        "history": await services.store.courses.changes(course_id, LATEST),
        "saved": 0,
        "error": None,
        **more,
    }
    return await html_response("course_settings.html", status, **values)
