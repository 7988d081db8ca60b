"""`/courses/{course}/files`: an instructor sends files, sees what they would be, and has them ingested."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.jobs.uploads import accept_waiting, plan_waiting
from app.material.sent_files import read_failures, read_sent_files
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Access, Permission
from core.errors import EduModError
from core.types import Source
from ingestion.exports import EXPORTS
from ingestion.loaders import SUFFIXES

router = APIRouter(include_in_schema=False)

LATEST = 20
"""Documents that the page shows, those ingested last."""


@router.get("/courses/{course_id}/files", response_class=HTMLResponse)
async def files(course_id: CourseId, services: Wired, access: Admin) -> HTMLResponse:
    """What waits to be ingested, what failed, and what was ingested last."""
    return await _page(services, access, course_id)


@router.post("/courses/{course_id}/files", response_class=HTMLResponse)
async def send_files(course_id: CourseId, services: Wired, access: Admin, http: Request) -> HTMLResponse:
    """Stores the files, and shows for whom each would be. They are ingested when that is confirmed."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.courses.get(course_id)
    form = await http.form()
    try:
        sent = await read_sent_files(services.store, course_id, form)
        for row in sent.rows:
            await services.store.waiting_files.put(row)
        waiting = [file for file in await services.store.waiting_files.of(course_id) if not file.is_accepted]
        plans = await plan_waiting(services, course_id, waiting)
    except EduModError as error:
        return await _page(services, access, course_id, error.status, error=error.public)
    return await _page(services, access, course_id, plans=plans, skipped=sent.skipped)


@router.post("/courses/{course_id}/files/ingest")
async def ingest_files(course_id: CourseId, services: Wired, access: Admin) -> Response:
    """Ingests what waits, in the background."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await accept_waiting(services, course_id)
    return RedirectResponse(f"/courses/{quoted(course_id)}/files", 303)


@router.post("/courses/{course_id}/files/discard")
async def discard_files(course_id: CourseId, services: Wired, access: Admin) -> Response:
    """Forgets what was sent and is not confirmed."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.waiting_files.discard(course_id)
    return RedirectResponse(f"/courses/{quoted(course_id)}/files", 303)


async def _page(services: Wired, access: Access, course_id: str, status: int = 200, **more: Any) -> HTMLResponse:
    access.demand(Permission.COURSE_ADMIN, course_id)
    course = await services.store.courses.read(course_id)
    documents = await services.store.material.documents(course_id)
    waiting = await services.store.waiting_files.of(course_id)
    held = {(file.source, file.name) for file in waiting if not file.is_accepted}
    failures = await read_failures(services.store, course_id, held)
    values = {
        "course": course,
        "waiting": waiting,
        "failed": [(name, reason) for (_, name), reason in failures.items()],
        "latest": sorted(documents, key=lambda row: row.ingested_at, reverse=True)[:LATEST],
        "suffixes": sorted((*SUFFIXES, *EXPORTS)),
        "sources": list(Source),
        "most_bytes": services.settings.max_upload_bytes,
        "plans": None,
        "skipped": (),
        "error": None,
        **more,
    }
    return await html_response("files.html", status, **values)
