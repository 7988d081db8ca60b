"""Deleting what is stored about a student, wherever it is."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel

from core.access import LOCAL, Person
from core.concurrency import in_thread
from core.store.people.audit import AuditEntry
from core.store.people.personal import PersonalSelection
from core.store.store import Store
from ingestion.promotion import withdraw

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


def _empty_caches(home: Path, dry_run: bool) -> int:
    files = [file for folder in CACHES for file in (home / folder).rglob("*") if file.is_file()]
    if not dry_run:
        for file in files:
            with suppress(FileNotFoundError):  # Another process may replace it.
                file.unlink()
    return len(files)
