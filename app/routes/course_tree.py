"""`/courses/{course}/tree`: how much there is of what, for students and for staff."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from app.material.tree import read_tree
from app.routes.parameters import CourseId, Reader
from app.routes.services import Wired
from app.web.render import html_response
from core.access import Permission

router = APIRouter(include_in_schema=False)


@router.get("/courses/{course_id}/tree", response_class=HTMLResponse)
async def course_tree(course_id: CourseId, services: Wired, access: Reader) -> HTMLResponse:
    """The documents by kind and folder, with their blocks."""
    access.demand(Permission.DRAFTS_READ, course_id)
    tree = await read_tree(services.store, course_id)
    may_correct = access.may(Permission.COURSE_ADMIN, course_id)
    return await html_response("course_tree.html", tree=tree, may_correct=may_correct)
