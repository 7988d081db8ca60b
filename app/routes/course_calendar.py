"""`/courses/{course_id}/calendar`: what a course's calendar was read as, and what staff say instead."""

from __future__ import annotations

from urllib.parse import quote as quoted

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app import request_id
from app.material.calendar_filling import calendar_rows
from app.material.calendar_form import SETTING, RowRefused, change_in, read_row
from app.material.calendar_rows import CalendarRows, anchor_of
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Access, Permission
from core.course import Course
from core.errors import EduModError, InvalidInput
from core.store.tables import SettingChangeRow
from core.types import Audience
from retrievers.index.calendars import read_calendar
from retrievers.index.released import END_OF_TIME

router = APIRouter(include_in_schema=False)

LATEST = 200
"""Changes of the course's settings among which those of the calendar are looked for."""


@router.get("/courses/{course_id}/calendar", response_class=HTMLResponse)
async def course_calendar(course_id: CourseId, services: Wired, access: Admin, saved: int = 0) -> HTMLResponse:
    """Works, events and staff with the source of each and fields to correct it, and who changed what."""
    return await _page(services, access, course_id, saved=saved)


@router.post("/courses/{course_id}/calendar", response_class=HTMLResponse)
async def correct_calendar(course_id: CourseId, services: Wired, access: Admin, http: Request) -> Response:
    """Save a row, take it out, or leave it to the material again; with something wrong, the page with it at the row."""
    course, rows, held = await _rows(services, access, course_id)
    form = await http.form()
    address, anchor, count = f"/courses/{quoted(course_id)}/calendar", "", 0
    try:
        if form.get("do") != "write":
            sent = read_row(form)
            values = change_in(sent, rows, course.calendar, held)
            count = await _change(services, access, course_id, values)
            key = next(iter(values), f"{SETTING}{sent.key}").removeprefix(SETTING)
            anchor = f"#{anchor_of(key)}"
        await _write(services, course_id)
    except RowRefused as error:
        return await _page(services, access, course_id, error.status, rows=rows.with_row(error.row), error=error.public)
    except EduModError as error:
        return await _page(services, access, course_id, error.status, error=error.public)
    return RedirectResponse(f"{address}?saved={count}{anchor}", 303)


async def _change(services: Wired, access: Access, course_id: str, values: dict[str, object]) -> int:
    try:
        return await services.store.courses.change(course_id, values, access.actor, request_id.current())
    except ValidationError as error:
        raise InvalidInput("The course file does not allow this. Shorten the name, or take other rows back.") from error


async def _write(services: Wired, course_id: str) -> None:
    """Have answers cite what staff say now."""
    from ingestion.set_dates import store_set_dates

    await store_set_dates(services.store, await services.learning.encoder(course_id), course_id)


async def _rows(
    services: Wired, access: Access, course_id: str
) -> tuple[Course, CalendarRows, dict[str, SettingChangeRow]]:
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.courses.get(course_id)
    stored = await services.store.courses.find(course_id)
    assert stored is not None
    held = await services.store.courses.held(course_id)
    read = await read_calendar(services.store, stored, Audience.STAFF, END_OF_TIME, is_corrected=False)
    corrected = await read_calendar(services.store, stored, Audience.STAFF, END_OF_TIME)
    return stored.course, calendar_rows(read, corrected, stored.calendar, held), held


async def _page(services: Wired, access: Access, course_id: str, status: int = 200, **more: object) -> HTMLResponse:
    course, rows, held = await _rows(services, access, course_id)
    changes = await services.store.courses.changes(course_id, LATEST)
    values = {
        "course": course,
        "rows": rows,
        "held": held,
        "history": [change for change in changes if change.key.startswith(SETTING)],
        "saved": 0,
        "error": None,
        **more,
    }
    return await html_response("course_calendar.html", status, **values)
