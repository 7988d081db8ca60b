"""`/courses/{course}/people`: who may sign in to a course and as what, and what is stored about a student."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import quote as quoted

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic_core import to_jsonable_python

from app import request_id
from app.people.deletion import delete_personal
from app.routes.parameters import Admin, CourseId
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import html_response
from core.access import ROLE_PERMISSIONS, Access, Permission
from core.errors import EduModError, Forbidden, InvalidInput, NotFound
from core.store.people.audit import AuditEntry
from core.store.people.members import Member
from core.store.people.personal import PersonalSelection
from core.types import Role

router = APIRouter(include_in_schema=False)

INVITED_FOR = timedelta(hours=72)
MAX_CHARS = 200

Typed = Annotated[Text, Form(max_length=MAX_CHARS)]


@router.get("/courses/{course_id}/people", response_class=HTMLResponse)
async def people(course_id: CourseId, services: Wired, access: Admin) -> HTMLResponse:
    """The members of the course."""
    return await _page(services, access, course_id)


@router.post("/courses/{course_id}/people", response_class=HTMLResponse)
async def invite(
    course_id: CourseId,
    services: Wired,
    access: Admin,
    http: Request,
    name: Typed = "",
    email: Typed = "",
    role: Typed = Role.TA.value,
) -> HTMLResponse:
    """Gives somebody a role in the course. Who is new gets a link that signs them in, shown this once.

    Somebody known from elsewhere gets no link, which would open to its reader all that they may do elsewhere.
    """
    access.demand(Permission.COURSE_ADMIN, course_id)
    try:
        if not name.strip():
            raise InvalidInput("Say who it is: write a name.")
        if role not in list(Role):
            raise InvalidInput(f"The role is one of {', '.join(Role)}.")
        if not _may_grant(access, course_id, Role(role)):
            raise Forbidden(f"The role {role} may do more than you. Ask somebody who may do it too.")
        address = email.strip() or None
        known = await services.store.members.known(address) if address else None
        who = known.id if known else name.strip()
        if known is None and await services.store.members.known(who):
            raise InvalidInput("Write the person's name, and the e-mail address in its own field.")
        member = await services.store.members.add(who, None if known else address, {course_id: Role(role)})
    except EduModError as error:
        typed = {"name": name, "email": email, "role": role}
        return await _page(services, access, course_id, error.status, error=error.public, typed=typed)
    await _note(services, access, "people.invite", course_id, member.id, {"role": role})
    link = await _link(services, http, member) if known is None else None
    return await _page(services, access, course_id, invited=member, link=link)


@router.post("/courses/{course_id}/people/{person_id}/link", response_class=HTMLResponse)
async def new_link(
    course_id: CourseId,
    person_id: Annotated[Text, Path(max_length=MAX_CHARS)],
    services: Wired,
    access: Admin,
    http: Request,
) -> HTMLResponse:
    """Makes another link for a member who lost the first. Raises `Forbidden` for an instructor or an operator, and
    for who may do more elsewhere: with the link one could act in their name."""
    member = await _member(services, access, course_id, person_id)
    is_below = not member.is_operator and Role.INSTRUCTOR not in member.roles.values()
    if not is_below or not all(_may_grant(access, course, role) for course, role in member.roles.items()):
        raise Forbidden(f"{member.name} gets a link from an operator alone: edumod people invite.")
    link = await _link(services, http, member)
    await _note(services, access, "people.link", course_id, member.id, {})
    return await _page(services, access, course_id, invited=member, link=link)


@router.post("/courses/{course_id}/people/{person_id}/end")
async def end_role(
    course_id: CourseId, person_id: Annotated[Text, Path(max_length=MAX_CHARS)], services: Wired, access: Admin
) -> Response:
    """Ends a member's role in this course; what they decided is kept."""
    member = await _member(services, access, course_id, person_id)
    if member.id == access.actor.id:
        raise InvalidInput("Nobody ends their own role. Ask another instructor or an operator.")
    await services.store.members.remove(member.id, course_id)
    await _note(services, access, "people.end", course_id, member.id, {})
    return RedirectResponse(f"/courses/{quoted(course_id)}/people", 303)


@router.post("/courses/{course_id}/people/student")
async def student_data(
    course_id: CourseId,
    services: Wired,
    access: Admin,
    pseudonym: Typed = "",
    action: Annotated[str, Form(pattern="^(count|export|delete)$")] = "count",
) -> Response:
    """Counts, exports as a JSON file, or deletes what is stored in this course about a student."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    if not pseudonym.strip():
        error = InvalidInput("Write the student's pseudonym, as the forum and the drafts call them.")
        return await _page(services, access, course_id, error.status, error=error.public)
    selection = PersonalSelection(course_id, pseudonym.strip())
    if action == "export":
        records = await services.store.personal.export(selection)
        counts = {name: len(rows) for name, rows in records.items()}
        await _note(services, access, "privacy.export", course_id, None, counts)
        text = json.dumps(to_jsonable_python(records, bytes_mode="base64"), indent=2, ensure_ascii=False)
        disposition = {"Content-Disposition": 'attachment; filename="student.json"'}
        return Response(text, media_type="application/json", headers=disposition)
    home = services.settings.home
    done = await delete_personal(services.store, home, selection, dry_run=action == "count", actor=access.actor)
    return await _page(services, access, course_id, pseudonym=pseudonym.strip(), done=done)


async def _member(services: Wired, access: Access, course_id: str, person_id: str) -> Member:
    """Raises `NotFound` for who is no member of the course."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    members = await services.store.members.all(course_id)
    if (member := next((member for member in members if member.id == person_id), None)) is None:
        raise NotFound(f"{person_id!r} is no member of {course_id}.")
    return member


def _may_grant(access: Access, course_id: str, role: Role) -> bool:
    """Nobody gives, by a role or a link, what they may not do themselves."""
    return access.may(Permission.COURSE_ADMIN, course_id) and all(
        access.may(permission, course_id) for permission in ROLE_PERMISSIONS[role]
    )


async def _link(services: Wired, http: Request, member: Member) -> str:
    """A link that signs the member in once."""
    token = await services.store.sessions.invite(member.id, INVITED_FOR)
    return f"{http.url.scheme}://{http.url.netloc}/sign-in/link/{token}"


async def _note(
    services: Wired, access: Access, action: str, course_id: str, subject: str | None, details: dict[str, Any]
) -> None:
    await services.store.audit.add(AuditEntry(access.actor, action, course_id, subject, request_id.current(), details))


async def _page(services: Wired, access: Access, course_id: str, status: int = 200, **more: Any) -> HTMLResponse:
    access.demand(Permission.COURSE_ADMIN, course_id)
    values = {
        "course": await services.store.courses.read(course_id),
        "members": await services.store.members.all(course_id),
        "own_id": access.actor.id,
        "roles": list(Role),
        "hours": int(INVITED_FOR.total_seconds() // 3600),
        "typed": {"name": "", "email": "", "role": Role.TA.value},
        "error": None,
        "invited": None,
        "link": None,
        "pseudonym": "",
        "done": None,
        **more,
    }
    return await html_response("people.html", status, **values)
