"""`/settings`: keys, quotas and webhooks, for those who administer courses."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from app import request_id
from app.people.keys import DEFAULT_DAYS, demand_grantable, may_revoke, new_key
from app.people.rules import needs
from app.people.settings import read_settings_page
from app.routes.services import Wired
from app.schemas import Text
from app.web.render import render
from app.webhooks.listing import webhooks_of
from core.access import Access, Permission, Person
from core.concurrency import in_thread
from core.errors import EduModError, InvalidInput, NotFound
from core.quotas import KeyQuotas
from core.store.people.audit import AuditEntry
from core.store.people.keys import NewKey
from core.validation import problems_in

router = APIRouter(include_in_schema=False)

Admin = Annotated[Access, needs(Permission.COURSE_ADMIN)]
EVERY_COURSE = "*"
"""What the form says for a key that is bound to no course."""
LIMITS = tuple(KeyQuotas.model_fields)
MAX_DAYS = 3650


@router.get("/settings", response_class=HTMLResponse)
async def settings(services: Wired, access: Admin, course: Annotated[Text, Query(max_length=200)] = "") -> HTMLResponse:
    """The settings of one course, and the keys of all that one administers."""
    return await _page(services, access, course)


@router.post("/settings/keys", response_class=HTMLResponse)
async def create_key(services: Wired, access: Admin, http: Request) -> HTMLResponse:
    """Makes a key and shows it this once."""
    form = await http.form()
    course = str(form.get("course", ""))
    here = "" if course == EVERY_COURSE else course
    try:
        new = _new_key(form, course, access.actor)
        demand_grantable(access, new)
        for course_id in new.courses or ():
            await services.store.courses.get(course_id)
        row, key = await services.store.keys.create(new)
    except EduModError as error:
        shown = here if here and access.may(Permission.COURSE_ADMIN, here) else ""
        return await _page(services, access, shown, error.status, error=error.public, typed=form)
    entry = AuditEntry(access.actor, "key.create", here or None, row.id, request_id.current(), {"scopes": row.scopes})
    await services.store.audit.add(entry)
    return await _page(services, access, here, made=key, made_name=row.name)


@router.post("/settings/keys/{key_id}/revoke")
async def revoke_key(key_id: Annotated[Text, Path(max_length=64)], services: Wired, access: Admin) -> Response:
    """From now on the key is refused. Raises `NotFound` also for a key that one may not revoke."""
    row = await services.store.keys.get(key_id)
    if row is None or not may_revoke(access, row):
        raise NotFound(f"There is no key {key_id!r} that you may revoke.")
    await services.store.keys.revoke(key_id)
    await services.store.audit.add(AuditEntry(access.actor, "key.revoke", None, key_id, request_id.current()))
    return RedirectResponse("/settings#keys-h", 303)


def _new_key(form: Any, course: str, owner: Person) -> NewKey:
    try:
        quotas = KeyQuotas.model_validate({name: form[name] for name in LIMITS if form.get(name)})
        scopes = [Permission(one) for one in form.getlist("scope")]
    except (ValidationError, ValueError) as error:
        told = problems_in(error) if isinstance(error, ValidationError) else str(error)
        raise InvalidInput(f"The key was not made: {told}.") from error
    days = str(form.get("days") or DEFAULT_DAYS)
    if not days.isdecimal() or len(days) > len(str(MAX_DAYS)) or int(days) > MAX_DAYS:
        raise InvalidInput(f"The key was not made: write the days until it ends as a number from 0 to {MAX_DAYS}.")
    bound = None if course == EVERY_COURSE else [course]
    return new_key(str(form.get("name", "")), scopes, bound, quotas, int(days), owner)


async def _page(services: Wired, access: Access, course: str, status: int = 200, **more: Any) -> HTMLResponse:
    page = await read_settings_page(services.store, access, course)
    webhooks = await webhooks_of(services.store, page.chosen.id) if page.chosen else None
    grantable = [
        one for one in Permission if one in access.everywhere or (page.chosen and access.may(one, page.chosen.id))
    ]
    values = {
        "found": page,
        "webhooks": webhooks,
        "hosts": services.settings.webhook_hosts,
        "grantable": grantable,
        "is_everywhere": Permission.COURSE_ADMIN in access.everywhere,
        "every_course": EVERY_COURSE,
        "days": DEFAULT_DAYS,
        "typed": None,
        "error": None,
        "made": None,
        "made_name": "",
        **more,
    }
    return HTMLResponse(await in_thread(lambda: render("settings.html", **values)), status)
