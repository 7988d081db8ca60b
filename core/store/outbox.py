"""The outbox: messages about decisions that wait to be sent, written in the transaction of their decision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, and_, select

from core.errors import NotFound
from core.store.engine.database import Database
from core.store.tables import DecisionRow, DeliveryRow, DeliveryState, WebhookRow

_webhooks = WebhookRow.__table__  # type: ignore[attr-defined]
_deliveries = DeliveryRow.__table__  # type: ignore[attr-defined]

DECIDED = "draft.decided"
"""The event of a decision that has become final."""


class Outbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    @staticmethod
    def add(connection: Connection, draft: Any, decision: DecisionRow) -> None:
        """Queue a message to each address that hears of the course's decisions, due when the decision is final."""
        found = connection.execute(select(_webhooks).where(_webhooks.c.course_id == draft.course_id)).all()
        targets: list[tuple[str | None, str]] = [(row.id, row.url) for row in found]
        if draft.callback_url:
            targets.append((None, draft.callback_url))
        for webhook_id, url in targets:
            row = DeliveryRow(
                id=uuid4().hex,
                course_id=draft.course_id,
                draft_id=draft.id,
                webhook_id=webhook_id,
                url=url,
                event=DECIDED,
                next_at=decision.final_at,
                state=DeliveryState.WAITING,
            )
            connection.execute(_deliveries.insert(), row.model_dump())

    @staticmethod
    def take_back(connection: Connection, draft_id: str) -> None:
        """Remove the messages of a draft that wait: its decision is undone."""
        waiting = and_(_deliveries.c.draft_id == draft_id, _deliveries.c.state == DeliveryState.WAITING)
        connection.execute(_deliveries.delete().where(waiting))

    async def subscribe(self, webhook: WebhookRow) -> None:
        async with self._database.write() as connection:
            await connection.execute(_webhooks.insert(), webhook.model_dump())

    async def unsubscribe(self, course_id: str, webhook_id: str) -> None:
        """Messages that wait are removed, too. Raises `NotFound`."""
        mine = and_(_webhooks.c.id == webhook_id, _webhooks.c.course_id == course_id)
        async with self._database.write() as connection:
            if not (await connection.execute(_webhooks.delete().where(mine))).rowcount:
                raise NotFound(f"There is no webhook {webhook_id!r} of the course {course_id}.")
            waiting = and_(_deliveries.c.webhook_id == webhook_id, _deliveries.c.state == DeliveryState.WAITING)
            await connection.execute(_deliveries.delete().where(waiting))

    async def webhooks(self, course_id: str) -> list[WebhookRow]:
        """The course's webhooks, oldest first."""
        query = select(_webhooks).where(_webhooks.c.course_id == course_id).order_by(_webhooks.c.created_at)
        async with self._database.read() as connection:
            return [WebhookRow(**row._mapping) for row in (await connection.execute(query)).all()]

    async def webhook(self, webhook_id: str) -> WebhookRow | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(_webhooks).where(_webhooks.c.id == webhook_id))).one_or_none()
        return WebhookRow(**row._mapping) if row else None

    async def deliveries(self, course_ids: Sequence[str], limit: int) -> list[DeliveryRow]:
        """The latest messages of those courses, newest first."""
        query = select(_deliveries).where(_deliveries.c.course_id.in_(course_ids))
        async with self._database.read() as connection:
            rows = await connection.execute(query.order_by(_deliveries.c.created_at.desc()).limit(limit))
            return [DeliveryRow(**row._mapping) for row in rows.all()]

    async def take_due(self, at: datetime, lease: timedelta, limit: int) -> list[DeliveryRow]:
        """Messages that are due, held back from other senders for `lease`; one whose sender dies is due again then."""
        async with self._database.write() as connection:
            return await connection.run_sync(_take_due, at, lease, limit)

    async def has_due(self, at: datetime) -> bool:
        """Whether a message is due: a read, so that an idle sender locks nothing."""
        due = and_(_deliveries.c.state == DeliveryState.WAITING, _deliveries.c.next_at <= at)
        async with self._database.read() as connection:
            return (await connection.execute(select(_deliveries.c.id).where(due).limit(1))).first() is not None

    async def record(self, delivery: DeliveryRow) -> None:
        """Store what became of a try."""
        names = ("state", "tries", "next_at", "last_status", "last_error")
        values = {name: getattr(delivery, name) for name in names}
        async with self._database.write() as connection:
            await connection.execute(_deliveries.update().where(_deliveries.c.id == delivery.id).values(values))

    async def again(self, course_id: str, delivery_id: str, at: datetime) -> None:
        """Send a message again, with the same id. Raises `NotFound`."""
        mine = and_(_deliveries.c.id == delivery_id, _deliveries.c.course_id == course_id)
        values = {"state": DeliveryState.WAITING, "next_at": at, "tries": 0}
        async with self._database.write() as connection:
            if not (await connection.execute(_deliveries.update().where(mine).values(values))).rowcount:
                raise NotFound(f"There is no delivery {delivery_id!r} of the course {course_id}.")


def _take_due(connection: Connection, at: datetime, lease: timedelta, limit: int) -> list[DeliveryRow]:
    due = and_(_deliveries.c.state == DeliveryState.WAITING, _deliveries.c.next_at <= at)
    query = select(_deliveries).where(due).order_by(_deliveries.c.next_at).limit(limit)
    rows = connection.execute(query.with_for_update(skip_locked=True)).all()
    if rows:
        taken = _deliveries.c.id.in_([row.id for row in rows])
        connection.execute(_deliveries.update().where(taken).values(next_at=at + lease))
    return [DeliveryRow(**row._mapping) for row in rows]
