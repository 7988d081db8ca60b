"""Deleting what is stored about a student, wherever it is."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from pydantic import BaseModel

from core.access import LOCAL, Person
from core.concurrency import in_thread
from core.store.people.audit import AuditEntry
from core.store.people.personal import PersonalSelection
from core.store.store import Store
from core.store.tables import now
from ingestion.promotion import withdraw

log = logging.getLogger("edumod")
CACHES = (Path("cache") / "llm",)
"""Folders of the home with replies of models, which may repeat what students wrote."""


class Deleted(BaseModel):
    """How many rows of each table, and files of caches, were deleted; or would be, in a dry run."""

    dry_run: bool
    deleted: dict[str, int]


async def delete_personal(
    store: Store, home: Path, selection: PersonalSelection, *, dry_run: bool, actor: Person = LOCAL
) -> Deleted:
    """Delete the selected personal data, and empty the caches of models' replies if anything was found.

    The audit log keeps that it was done, and how much it was, but not about whom.
    """
    promoted = await store.personal.promotions(selection)
    if dry_run:
        counts = await store.personal.count(selection)
    else:
        for course_id, draft_id in promoted:
            await withdraw(store, course_id, draft_id)
        counts = await store.personal.delete(selection)
    counts["past questions"] = len(promoted)
    if any(counts.values()):
        counts["cached replies"] = await in_thread(_empty_caches, home, dry_run)
    if not dry_run:
        await store.audit.add(AuditEntry(actor, "privacy.delete", selection.course_id, details=dict(counts)))
    return Deleted(dry_run=dry_run, deleted=counts)


EDITS_LAST = timedelta(days=14)
"""How long what was typed about a draft and not sent is kept."""


async def delete_old(store: Store) -> None:
    """Delete what is older than its course keeps it (`privacy.keep_days` of the course file), and old edits."""
    await store.edits.expire(now() - EDITS_LAST)
    for stored in await store.courses.all():
        days = stored.course.privacy.keep_days
        if days is None:
            continue
        # Past questions stay: they hold nothing personal, and are material of the course.
        counts = await store.personal.delete(PersonalSelection(stored.id, before=now() - timedelta(days=days)))
        if counts["drafts"]:
            await store.audit.add(AuditEntry(LOCAL, "privacy.expire", stored.id, details=dict(counts)))
            log.info("%d drafts of course %s were deleted after %d days.", counts["drafts"], stored.id, days)


def _empty_caches(home: Path, dry_run: bool) -> int:
    files = [file for folder in CACHES for file in (home / folder).rglob("*") if file.is_file()]
    if not dry_run:
        for file in files:
            with suppress(FileNotFoundError):  # Another process may replace it.
                file.unlink()
    return len(files)
