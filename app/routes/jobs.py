"""`/jobs`: what waits for workers, and jobs that failed, for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app import request_id
from app.jobs.running import retry_failed
from app.people.rules import needs
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import Access, Permission
from core.errors import EduModError
from core.store.people.audit import AuditEntry

router = APIRouter(include_in_schema=False)

Operator = Annotated[Access, needs(Permission.OPERATE)]


@router.get("/jobs", response_class=HTMLResponse)
async def jobs(services: Wired, access: Operator) -> HTMLResponse:
    """The queues, and the jobs that failed for good."""
    return await _page(services)


@router.post("/jobs/{job_id}/retry")
async def retry_job(job_id: Annotated[Text, Path(max_length=64)], services: Wired, access: Operator) -> Response:
    """Do a failed job again."""
    try:
        await retry_failed(services, job_id)
    except EduModError as error:
        return await _page(services, error.status, error.public)
    await services.store.audit.add(AuditEntry(access.actor, "job.retry", None, job_id, request_id.current()))
    return RedirectResponse("/jobs", 303)


async def _page(services: Wired, status: int = 200, error: str | None = None) -> HTMLResponse:
    lanes, failed = await services.jobs.lanes(), await services.store.failed_jobs.all()
    return await html_response("jobs.html", status, lanes=lanes, failed=failed, error=error)
