"""Deleting what courses keep for a limited time."""

from __future__ import annotations

import logging
from datetime import timedelta

from core.access import LOCAL
from core.store.people.audit import AuditEntry
from core.store.people.personal import PersonalSelection
from core.store.store import Store
from core.store.tables import now
from ingestion.promotion import withdraw

log = logging.getLogger("edumod")
EDITS_LAST = timedelta(days=14)
"""How long what was typed about a draft and not sent is kept."""

TRIED_LASTS = timedelta(hours=1)
"""How long what was asked in a sandbox is kept."""


async def delete_old(store: Store) -> None:
    """Delete what is older than its course keeps it (`privacy.keep_days` of the course file), and old edits."""
    await store.edits.expire(now() - EDITS_LAST)
    for stored in await store.courses.all():
        if stored.course.sandbox:
            await _delete_tried(store, stored.id)
        days = stored.course.privacy.keep_days
        if days is None:
            continue
        # Past questions stay: they hold nothing personal, and are material of the course.
        counts = await store.personal.delete(PersonalSelection(stored.id, before=now() - timedelta(days=days)))
        if counts["drafts"]:
            await store.audit.add(AuditEntry(LOCAL, "privacy.expire", stored.id, details=dict(counts)))
            log.info("%d drafts of course %s were deleted after %d days.", counts["drafts"], stored.id, days)


async def _delete_tried(store: Store, course_id: str) -> None:
    """Delete what was asked in a sandbox, and what was learned from it. Models' replies in the cache stay: they are of
    all courses, and a sandbox asks none by default."""
    selection = PersonalSelection(course_id, before=now() - TRIED_LASTS, with_learned=True)
    for own_course, draft_id in await store.personal.promotions(selection):
        await withdraw(store, own_course, draft_id)
    await store.personal.delete(selection)
