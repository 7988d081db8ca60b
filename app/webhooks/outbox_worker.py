"""Delivers outbox messages with back-off, and gives up after three days."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from app.review.stored_draft import read_draft
from app.rounds import Rounds
from app.webhooks.targets import Unreachable, resolve
from core.access import EVERYTHING
from core.errors import NotFound, StorageUnavailable
from core.store.decisions import OPEN
from core.store.outbox import OVERDUE
from core.store.store import Store
from core.store.tables import DeliveryRow, DeliveryState, now

POLL_SECONDS = 1.0
AT_ONCE = 10
LEASE = timedelta(seconds=60)
"""How long a sender has for the messages that it took; afterwards another sender may take them."""
BACKOFF = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1800, 3600, 7200, *[21600] * 10))
"""Waits between tries: three days in all."""
REMIND_EVERY = timedelta(minutes=5)
TOO_LATE = "The decision was undone."
DECIDED_BY_NOW = "The draft is decided by now."
UNEXPECTED = "It could not be sent; the server's log says why."
log = logging.getLogger("edumod")


class OutboxWorker:
    """One per process of the service; several may share an outbox."""

    def __init__(self, store: Store, allowed: Sequence[str]) -> None:
        self._store = store
        self._allowed = tuple(allowed)
        self._may_remind_at = now()
        self._rounds = Rounds("Sending webhooks", self._next, POLL_SECONDS)

    def start(self) -> None:
        """Send from now on, in the background."""
        self._rounds.start()

    async def aclose(self) -> None:
        """Stop. Messages that are being sent are sent again later, with the same ids."""
        await self._rounds.aclose()

    async def _next(self) -> bool:
        return await self.round() == AT_ONCE

    async def round(self) -> int:
        """Send what is due; how many messages that were."""
        at = now()
        if at >= self._may_remind_at:
            self._may_remind_at = at + REMIND_EVERY
            await self.remind()
        if not await self._store.outbox.has_due(at):
            return 0
        due = await self._store.outbox.take_due(at, LEASE, AT_ONCE)
        await asyncio.gather(*(self._deliver(delivery) for delivery in due))
        return len(due)

    async def remind(self) -> int:
        """Queue a message about each draft that has waited longer than its course promises; how many."""
        count = 0
        for stored in await self._store.courses.all(frozenset(await self._store.outbox.subscribed())):
            at, rules = now(), stored.course.review
            if rules.remind:
                due = at - timedelta(hours=rules.due_hours)
                count += await self._store.outbox.remind(stored.id, OPEN, due, at)
        return count

    async def _deliver(self, delivery: DeliveryRow) -> None:
        delivery.tries += 1
        delivery.last_status = None
        try:
            delivery.last_status = await self._send(delivery)
            delivery.last_error = None if delivery.last_status < 300 else f"It answered {delivery.last_status}."
        except Unreachable as error:
            delivery.last_error = str(error)
        except OSError as error:
            delivery.last_error = f"It cannot be reached: {type(error).__name__}."
        except TimeoutError:
            delivery.last_error = "It did not answer in time."
        except NotFound:
            delivery.tries, delivery.last_error = len(BACKOFF) + 1, TOO_LATE
        except StorageUnavailable:
            raise
        except Exception:
            # A fault of ours, which must not hold up the messages beside and behind this one.
            log.exception("The webhook delivery %s could not be sent", delivery.id)
            delivery.last_error = UNEXPECTED
        _schedule(delivery)
        await self._store.outbox.record(delivery)

    async def _send(self, delivery: DeliveryRow) -> int:
        from app.webhooks.http_delivery import (  # Few installations have webhooks, and aiohttp is large.
            OutboxMessage,
            send,
        )

        body = json.dumps(await self._content(delivery), ensure_ascii=False).encode()
        target = await resolve(delivery.url, self._allowed)
        message = OutboxMessage(delivery.id, delivery.event, body)
        return await send(delivery.url, target, message, await self._secret(delivery))

    async def _content(self, delivery: DeliveryRow) -> dict[str, Any]:
        """What the message says, as of now. Raises `NotFound` where there is no decision any more."""
        read = await read_draft(self._store, delivery.draft_id, EVERYTHING)
        if (read.decision is None) is not (delivery.event == OVERDUE):
            raise NotFound(TOO_LATE if read.decision is None else DECIDED_BY_NOW)
        # Who asked may choose the address of a callback, but does not read what is for staff.
        of_staff = {"decision": {"note", "reasons", "scores", "struck", "decided_by"}}
        hidden = of_staff if delivery.webhook_id is None else {}
        draft = read.out.model_dump(mode="json", exclude={"question": True, **hidden})
        return {"id": delivery.id, "event": delivery.event, "thread_id": read.draft.thread_id, "draft": draft}

    async def _secret(self, delivery: DeliveryRow) -> str | None:
        """The webhook's secret; a callback is signed with that of the course's first webhook, if it has one."""
        if delivery.webhook_id is not None:
            webhook = await self._store.outbox.webhook(delivery.webhook_id)
            return webhook.secret if webhook else None
        webhooks = await self._store.outbox.webhooks(delivery.course_id)
        return webhooks[0].secret if webhooks else None


def _schedule(delivery: DeliveryRow) -> None:
    """When the next try is, if there is one."""
    if delivery.last_error is None:
        delivery.state = DeliveryState.DELIVERED
    elif delivery.tries > len(BACKOFF):
        delivery.state = DeliveryState.FAILED
    else:
        delivery.next_at = now() + BACKOFF[delivery.tries - 1]
