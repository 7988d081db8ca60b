"""A course's webhooks and their latest messages, as API and pages show them."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from core.store.store import Store
from core.store.tables import DeliveryState

MAX_DELIVERIES = 100
"""Messages that are listed."""


class DeliveryOut(BaseModel):
    """A message and what became of it. Its id is in the header EduMod-Delivery, the same in every try."""

    id: str
    event: str
    draft_id: str
    url: str
    created_at: datetime
    state: DeliveryState
    tries: int
    next_at: datetime = Field(description="When it is tried next, if it waits.")
    last_status: int | None
    last_error: str | None


class WebhookOut(BaseModel):
    """An address that hears of decisions."""

    id: str
    url: str
    created_at: datetime


class WebhooksOut(BaseModel):
    """A course's webhooks and their latest messages."""

    webhooks: tuple[WebhookOut, ...]
    deliveries: tuple[DeliveryOut, ...]


async def webhooks_of(store: Store, course_id: str) -> WebhooksOut:
    """Raises `UnknownName`."""
    await store.courses.get(course_id)
    rows = await store.outbox.webhooks(course_id)
    deliveries = await store.outbox.deliveries([course_id], MAX_DELIVERIES)
    return WebhooksOut(
        webhooks=tuple(WebhookOut(id=row.id, url=row.url, created_at=row.created_at) for row in rows),
        deliveries=tuple(
            DeliveryOut(**row.model_dump(exclude={"course_id", "webhook_id"}, warnings=False)) for row in deliveries
        ),
    )
