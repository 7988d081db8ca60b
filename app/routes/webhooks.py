"""`/courses/{course_id}/webhooks`: who hears of decisions, and what was delivered."""

from __future__ import annotations

import secrets
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Form, Path, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from app.edge.accept import accepts
from app.people.rules import needs
from app.problems import responses
from app.routes.services import Wired
from app.schemas import Body, Text
from app.web.render import render
from app.webhooks.listing import WebhookOut, WebhooksOut, webhooks_of
from app.webhooks.targets import check_url
from core.access import Access, Permission
from core.concurrency import in_thread
from core.errors import EduModError
from core.store.tables import WebhookRow, now

router = APIRouter(tags=["webhooks"])

CourseId = Annotated[Text, Path(max_length=200)]
WebhookId = Annotated[Text, Path(max_length=64)]
DeliveryId = Annotated[Text, Path(max_length=64)]
Admin = Annotated[Access, needs(Permission.COURSE_ADMIN)]
AS_PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The webhooks; with `Accept: text/html`, as a page.", "content": {"text/html": {}}}
}


class WebhookIn(Body):
    """A new webhook."""

    url: Text = Field(description="Where messages are posted to; its host is on the operator's list.")


class NewWebhookOut(WebhookOut):
    """A new webhook with its secret, which is shown this once."""

    secret: str = Field(description="Key of the HMAC-SHA256 in the header EduMod-Signature.")


@router.get("/courses/{course_id}/webhooks", response_model=WebhooksOut, responses={**AS_PAGE, **responses(404, 503)})
async def webhooks(course_id: CourseId, services: Wired, http: Request, access: Admin) -> WebhooksOut | Response:
    """The course's webhooks and their latest messages."""
    if accepts("text/html", http):
        return await _page(services, course_id, access)
    access.demand(Permission.COURSE_ADMIN, course_id)
    return await webhooks_of(services.store, course_id)


@router.post("/courses/{course_id}/webhooks", status_code=201, responses=responses(404, 422, 503))
async def add_webhook(course_id: CourseId, webhook: WebhookIn, services: Wired, access: Admin) -> NewWebhookOut:
    """Tell an address of every decision of the course, once it is final."""
    return await _add(services, course_id, webhook.url, access)


@router.delete("/courses/{course_id}/webhooks/{webhook_id}", status_code=204, responses=responses(404, 503))
async def remove_webhook(course_id: CourseId, webhook_id: WebhookId, services: Wired, access: Admin) -> None:
    """Remove a webhook, with its messages that wait."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.outbox.unsubscribe(course_id, webhook_id)


@router.post("/courses/{course_id}/deliveries/{delivery_id}/retry", status_code=202, responses=responses(404, 503))
async def retry_delivery(course_id: CourseId, delivery_id: DeliveryId, services: Wired, access: Admin) -> None:
    """Send a message again, with the same id."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.outbox.again(course_id, delivery_id, now())


@router.post("/courses/{course_id}/webhooks/page", response_class=HTMLResponse, include_in_schema=False)
async def act(
    course_id: CourseId,
    services: Wired,
    access: Admin,
    do: Annotated[str, Form(max_length=20)] = "",
    subject: Annotated[str, Form(max_length=64)] = "",
    url: Annotated[Text, Form(max_length=2000)] = "",
) -> Response:
    """The same from the page."""
    access.demand(Permission.COURSE_ADMIN, course_id)
    try:
        if do == "add":
            return await _page(services, course_id, access, added=await _add(services, course_id, url, access))
        if do == "remove":
            await services.store.outbox.unsubscribe(course_id, subject)
        elif do == "again":
            await services.store.outbox.again(course_id, subject, now())
    except EduModError as error:
        return await _page(services, course_id, access, error.status, error=error.public, url=url)
    return await _page(services, course_id, access)


async def _add(services: Wired, course_id: str, url: str, access: Access) -> NewWebhookOut:
    access.demand(Permission.COURSE_ADMIN, course_id)
    await services.store.courses.get(course_id)
    check_url(url, services.settings.webhook_hosts)
    row = WebhookRow(id=uuid4().hex, course_id=course_id, url=url, secret=f"whsec_{secrets.token_urlsafe(32)}")
    await services.store.outbox.subscribe(row)
    return NewWebhookOut(id=row.id, url=row.url, created_at=row.created_at, secret=row.secret)


async def _page(services: Wired, course_id: str, access: Access, status: int = 200, **shown: Any) -> HTMLResponse:
    access.demand(Permission.COURSE_ADMIN, course_id)
    listing = await webhooks_of(services.store, course_id)
    values = {"added": None, "error": None, "url": "", **shown, "hosts": services.settings.webhook_hosts}
    return HTMLResponse(
        await in_thread(lambda: render("webhooks.html", course_id=course_id, found=listing, **values)), status
    )
