"""`/courses/{course}/files`: an instructor sends files, sees what they would be, and has them ingested."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import UploadFile

from app.jobs.uploads import accept_waiting, plan_waiting
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Access, Permission
from core.errors import EduModError, InvalidInput
from core.store.store import Store
from core.store.tables import DocumentRow, WaitingFileRow
from core.types import Source
from ingestion.loaders import SUFFIXES

router = APIRouter(include_in_schema=False)

MAX_NAME_CHARS = 200
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
        source = _source(str(form.get("source", "")))
        sent = [file for file in form.getlist("file") if isinstance(file, UploadFile) and file.filename]
        if not sent:
            raise InvalidInput("No file was chosen. Choose one or more.")
        documents = await services.store.material.documents(course_id)
        names = [_name(file.filename or "", source, documents) for file in sent]
        if repeated := next((name for name in names if names.count(name) > 1), None):
            raise InvalidInput(f"Two of the files are called {repeated}. Rename one, or send them from their folders.")
        for file, name in zip(sent, names, strict=True):
            content = await file.read()
            digest = hashlib.sha256(content).hexdigest()
            row = WaitingFileRow(course_id=course_id, source=source, name=name, sha256=digest, content=content)
            await services.store.waiting_files.put(row)
        waiting = [file for file in await services.store.waiting_files.of(course_id) if not file.is_accepted]
        plans = await plan_waiting(services, course_id, waiting)
    except EduModError as error:
        return await _page(services, access, course_id, error.status, error=error.public)
    return await _page(services, access, course_id, plans=plans)


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


def _source(kind: str) -> Source:
    try:
        return Source(kind)
    except ValueError:
        raise InvalidInput(f"Say what kind of material it is: {', '.join(Source)}.") from None


def _name(sent: str, source: Source, documents: Sequence[DocumentRow]) -> str:
    """What the document is called: as the one of that file name that the course has already, if there is one.

    A browser sends a file's own name, or with a folder the path below it; `documents` are called by their paths.
    """
    parts = [part for part in PurePosixPath(sent.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    name = "/".join(parts)
    if not name or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"A file's name has 1 to {MAX_NAME_CHARS} printable characters. Rename it: {name[:80]!r}.")
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in SUFFIXES:
        supported = ", ".join(sorted(SUFFIXES))
        raise InvalidInput(f"{name}: the format {suffix or '(none)'} is not supported. Supported: {supported}.")
    known = [row.name for row in documents if row.source == source and f"/{row.name}".endswith(f"/{name}")]
    return known[0] if len(known) == 1 else name


async def _page(services: Wired, access: Access, course_id: str, status: int = 200, **more: Any) -> HTMLResponse:
    access.demand(Permission.COURSE_ADMIN, course_id)
    course = await services.store.courses.read(course_id)
    documents = await services.store.material.documents(course_id)
    waiting = await services.store.waiting_files.of(course_id)
    values = {
        "course": course,
        "waiting": waiting,
        "failed": await _failed(services.store, course_id, {file.name for file in waiting if not file.is_accepted}),
        "latest": sorted(documents, key=lambda row: row.ingested_at, reverse=True)[:LATEST],
        "suffixes": sorted(SUFFIXES),
        "sources": list(Source),
        "most_bytes": services.settings.max_upload_bytes,
        "plans": None,
        "error": None,
        **more,
    }
    return await html_response("files.html", status, **values)


async def _failed(store: Store, course_id: str, waiting: set[str]) -> list[tuple[str, str]]:
    """Those of the waiting files that could not be ingested, with the latest reason."""
    jobs = [job for job in await store.failed_jobs.all() if job.kind == "ingest"]
    mine = [job for job in reversed(jobs) if job.arguments["course"] == course_id]
    return list({job.arguments["name"]: job.error for job in mine if job.arguments["name"] in waiting}.items())
