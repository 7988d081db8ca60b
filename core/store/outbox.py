"""The outbox: messages about decisions that wait to be sent, written in the transaction of their decision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, and_, select

from core.errors import NotFound
from core.store.engine.topic import Topic, transaction
from core.store.tables import DeliveryRow, DeliveryState, DraftRow, WebhookRow, table_of

MAX_REMINDERS = 200
"""Of a course in one round."""
_webhooks = table_of(WebhookRow)
_deliveries = table_of(DeliveryRow)
_drafts = table_of(DraftRow)

DECIDED = "draft.decided"
"""The event of a decision that has become final."""
CORRECTED = "draft.corrected"
"""The event of another text in place of a final one."""
OVERDUE = "draft.overdue"
"""The event of a draft that waits longer than its course promises."""


class Outbox(Topic):
    @staticmethod
    def add(connection: Connection, draft: Any, event: str, due: datetime) -> None:
        """Queue a message about the draft, due then, to each address that hears of its course's decisions."""
        webhooks = connection.execute(select(_webhooks).where(_webhooks.c.course_id == draft.course_id))
        targets: list[tuple[str | None, str]] = [(row.id, row.url) for row in webhooks]
        if draft.callback_url and event != OVERDUE:  # Whoever asked knows that the question waits.
            targets.append((None, draft.callback_url))
        for webhook_id, url in targets:
            row = DeliveryRow(
                id=uuid4().hex,
                course_id=draft.course_id,
                draft_id=draft.id,
                webhook_id=webhook_id,
                url=url,
                event=event,
                next_at=due,
                state=DeliveryState.WAITING,
            )
            connection.execute(_deliveries.insert(), row.model_dump())

    @staticmethod
    def take_back(connection: Connection, draft_id: str) -> None:
        """Remove the messages of a draft that wait: its decision is undone."""
        waiting = and_(_deliveries.c.draft_id == draft_id, _deliveries.c.state == DeliveryState.WAITING)
        connection.execute(_deliveries.delete().where(waiting))

    @transaction
    def remind(
        self, connection: Connection, course_id: str, states: Sequence[str], before: datetime, at: datetime
    ) -> int:
        """Queue one message about each draft of the course in those states that was asked before then; how many."""
        overdue = (
            _drafts.c.course_id == course_id,
            _drafts.c.state.in_(states),
            _drafts.c.created_at < before,
            _drafts.c.reminded_at.is_(None),
        )
        columns = (_drafts.c.id, _drafts.c.course_id, _drafts.c.callback_url)
        drafts = connection.execute(select(*columns).where(*overdue).limit(MAX_REMINDERS).with_for_update()).all()
        for draft in drafts:
            Outbox.add(connection, draft, OVERDUE, at)
        reminded = _drafts.c.id.in_([draft.id for draft in drafts])
        connection.execute(_drafts.update().where(reminded).values(reminded_at=at))
        return len(drafts)

    async def subscribed(self) -> list[str]:
        """The ids of the courses with webhooks."""
        return [row.course_id for row in await self._rows(select(_webhooks.c.course_id).distinct())]

    async def subscribe(self, webhook: WebhookRow) -> None:
        await self._change(_webhooks.insert().values(webhook.model_dump()))

    @transaction
    def unsubscribe(self, connection: Connection, course_id: str, webhook_id: str) -> None:
        """Messages that wait are removed, too. Raises `NotFound`."""
        mine = and_(_webhooks.c.id == webhook_id, _webhooks.c.course_id == course_id)
        if not connection.execute(_webhooks.delete().where(mine)).rowcount:
            raise NotFound(f"There is no webhook {webhook_id!r} of the course {course_id}.")
        waiting = and_(_deliveries.c.webhook_id == webhook_id, _deliveries.c.state == DeliveryState.WAITING)
        connection.execute(_deliveries.delete().where(waiting))

    async def webhooks(self, course_id: str) -> list[WebhookRow]:
        """The course's webhooks, oldest first."""
        query = select(_webhooks).where(_webhooks.c.course_id == course_id).order_by(_webhooks.c.created_at)
        return await self._all(WebhookRow, query)

    async def webhook(self, webhook_id: str) -> WebhookRow | None:
        return await self._find(WebhookRow, select(_webhooks).where(_webhooks.c.id == webhook_id))

    async def deliveries(self, course_ids: Sequence[str], limit: int) -> list[DeliveryRow]:
        """The latest messages of those courses, newest first."""
        query = select(_deliveries).where(_deliveries.c.course_id.in_(course_ids))
        return await self._all(DeliveryRow, query.order_by(_deliveries.c.created_at.desc()).limit(limit))

    @transaction
    def take_due(self, connection: Connection, at: datetime, lease: timedelta, limit: int) -> list[DeliveryRow]:
        """Messages that are due, held back from other senders for `lease`; one whose sender dies is due again then."""
        query = select(_deliveries).where(_is_due(at)).order_by(_deliveries.c.next_at).limit(limit)
        rows = connection.execute(query.with_for_update(skip_locked=True)).all()
        if rows:
            taken = _deliveries.c.id.in_([row.id for row in rows])
            connection.execute(_deliveries.update().where(taken).values(next_at=at + lease))
        return [DeliveryRow(**row._mapping) for row in rows]

    async def has_due(self, at: datetime) -> bool:
        """Whether a message is due: a read, so that an idle sender locks nothing."""
        return await self._scalar(select(_deliveries.c.id).where(_is_due(at)).limit(1)) is not None

    async def record(self, delivery: DeliveryRow) -> None:
        """Store what became of a try."""
        names = ("state", "tries", "next_at", "last_status", "last_error")
        values = {name: getattr(delivery, name) for name in names}
        await self._change(_deliveries.update().where(_deliveries.c.id == delivery.id).values(values))

    async def again(self, course_id: str, delivery_id: str, at: datetime) -> None:
        """Send a message again, with the same id. Raises `NotFound`."""
        mine = and_(_deliveries.c.id == delivery_id, _deliveries.c.course_id == course_id)
        values = {"state": DeliveryState.WAITING, "next_at": at, "tries": 0}
        if not await self._change(_deliveries.update().where(mine).values(values)):
            raise NotFound(f"There is no delivery {delivery_id!r} of the course {course_id}.")


def _is_due(at: datetime) -> ColumnElement[bool]:
    return and_(_deliveries.c.state == DeliveryState.WAITING, _deliveries.c.next_at <= at)
