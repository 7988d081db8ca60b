"""Lists pipelines, retrievers and courses."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from app.edge.accept import accepts
from app.people.rules import needs
from app.routes.parameters import Asker, as_page
from app.routes.services import Wired
from app.schemas import CourseOut, PipelineOut, RetrieverOut, SourceOut
from app.web.render import html_response
from core.access import Access, Permission
from core.store.tables import now
from eval.measured import measured_pipelines
from pipelines import PIPELINES, aliases
from pipelines.configuration import own_parameters
from retrievers import RETRIEVERS

router = APIRouter(tags=["catalog"])


@router.get("/pipelines")
async def pipelines(services: Wired, access: Asker) -> list[PipelineOut]:
    """The pipelines a request can name, with their parameters and measured results of this installation."""
    measured = await measured_pipelines(services.store)
    return [
        PipelineOut(
            name=pipeline.name,
            aliases=aliases(pipeline),
            summary=pipeline.summary,
            model_calls=pipeline.model_calls,
            parameters=own_parameters(pipeline),
            measured=[result for result in measured[pipeline.name] if access.may(Permission.ANSWER, result.course)],
        )
        for pipeline in PIPELINES
    ]


@router.get("/retrievers", dependencies=[needs(Permission.ANSWER)])
async def retrievers() -> list[RetrieverOut]:
    """The retrievers a request can name."""
    return [RetrieverOut(name=one.name, summary=one.summary) for one in RETRIEVERS]


@router.get("/courses", response_model=list[CourseOut], responses=as_page("The courses"))
async def courses(services: Wired, http: Request, access: Asker) -> list[CourseOut] | Response:
    """The courses, with the amount of material that students may read now."""
    if accepts("text/html", http):
        return await courses_page(services, access)
    return await _listing(services, access)


async def courses_page(services: Wired, access: Access, status: int = 200, **more: Any) -> HTMLResponse:
    """The courses, and for an operator a form that starts another."""
    values = {
        "courses": await _listing(services, access),
        "may_start": access.is_operator,
        "typed": {"id": "", "title": "", "time_zone": ""},
        "error": None,
        **more,
    }
    return await html_response("courses.html", status, **values)


async def _listing(services: Wired, access: Access) -> list[CourseOut]:
    listing = []
    for stored in await services.store.courses.all(access.courses(Permission.ANSWER)):
        course = stored.course
        counts = await services.store.material.counts_for_students(stored.id, now())
        listing.append(
            CourseOut(
                id=course.id,
                title=course.title,
                consent_required=course.consent_required,
                categories=course.categories,
                material=[SourceOut(source=c.source, documents=c.documents, blocks=c.blocks) for c in counts],
            )
        )
    return listing
