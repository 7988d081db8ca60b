"""`/courses/{course_id}/solutions`: which solutions belong to which questions."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import APIRouter, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.material.solutions import read_solutions
from app.people.rules import needs
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import render
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import InvalidInput

router = APIRouter(include_in_schema=False)

CourseId = Annotated[Text, Path(max_length=200)]
Admin = Annotated[Access, needs(Permission.COURSE_ADMIN)]
BY_NAME, NONE = "", "none"
"""What the form says for a solution that belongs to what its name says, and to no assignment."""


@router.get("/courses/{course_id}/solutions", response_class=HTMLResponse)
async def solutions(
    course_id: CourseId, services: Wired, access: Annotated[Access, needs(Permission.DRAFTS_READ)]
) -> HTMLResponse:
    """The solution documents, those with something to correct first."""
    access.demand(Permission.DRAFTS_READ, course_id)
    course_solutions = await read_solutions(services.store, course_id)
    may_correct = access.may(Permission.COURSE_ADMIN, course_id)
    values = {"found": course_solutions, "may_correct": may_correct, "by_name": BY_NAME, "none": NONE}
    return HTMLResponse(await in_thread(lambda: render("solutions.html", **values)))


@router.post("/courses/{course_id}/solutions/{document_id}")
async def pair(
    course_id: CourseId,
    document_id: Annotated[Text, Path(max_length=64)],
    services: Wired,
    access: Admin,
    assignment: Annotated[Text, Form(max_length=64)] = BY_NAME,
) -> Response:
    """Give a solution to an assignment. It holds again after the next ingestion."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    pairings = services.store.pairings
    if assignment == BY_NAME:
        await pairings.forget(course_id, document_id, access.actor)
    else:
        given = None if assignment == NONE else assignment
        await pairings.give(course_id, document_id, given, access.actor)
    return _back(course_id, document_id)


@router.post("/courses/{course_id}/solutions/{document_id}/blocks/{block_id}")
async def relabel(
    course_id: CourseId,
    document_id: Annotated[Text, Path(max_length=64)],
    block_id: Annotated[Text, Path(max_length=64)],
    services: Wired,
    access: Admin,
    label: Annotated[Text, Form(max_length=40)],
) -> Response:
    """Say which question a part of a solution answers. It holds again after the next ingestion."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    solutions = await read_solutions(services.store, course_id)
    known = next((one.labels for one in solutions.solutions if one.document.id == document_id), [])
    if label not in known:
        raise InvalidInput(f"Its assignment has no question {label!r}. Choose one of {', '.join(known) or 'none'}.")
    await services.store.corrections.relabel(course_id, block_id, label, access.actor)
    return _back(course_id, document_id)


def _back(course_id: str, document_id: str) -> Response:
    return RedirectResponse(f"/courses/{quoted(course_id)}/solutions#{quoted(document_id)}", 303)
