"""Who hears of decisions, and the messages to them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Index, Text
from sqlmodel import Field, SQLModel

from core.store.tables.columns import UTCDateTime, now, owner


class WebhookRow(SQLModel, table=True):
    """An address that hears of a course's decisions."""

    __tablename__ = "webhook"

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    url: str
    secret: str
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class DeliveryRow(SQLModel, table=True):
    """A message of the outbox to one address. Its id stays the same however often it is sent."""

    __tablename__ = "delivery"
    __table_args__ = (Index("ix_delivery_due", "state", "next_at"),)

    id: str = Field(primary_key=True)
    course_id: str = Field(sa_column=owner("course.id"))
    draft_id: str = Field(sa_column=owner("draft.id"))
    webhook_id: str | None = Field(default=None, description="None for the callback of one request.")
    url: str
    event: str
    created_at: datetime = Field(default_factory=now, sa_type=UTCDateTime)
    next_at: datetime = Field(sa_type=UTCDateTime)
    state: DeliveryState = Field(sa_type=Text)
    tries: int = 0
    last_status: int | None = None
    last_error: str | None = None
