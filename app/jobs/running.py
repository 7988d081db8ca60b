"""Runs one job; what fails for good is noted for the page of failed jobs."""

from __future__ import annotations

import logging
from importlib.metadata import version

from app.jobs.kind import Arguments, JobKind, Workplace
from app.jobs.kinds import KINDS
from core.errors import EduModError, InvalidInput, MailUnavailable, ModelError, NotFound, StorageUnavailable

TRANSIENT = (StorageUnavailable, ModelError, MailUnavailable)
"""Errors that may be gone at the next attempt."""
WAITS = (5.0, 30.0, 120.0)
"""Seconds before each further attempt."""
DIED = "The process that worked on it died {} times; the job may be what kills it."

log = logging.getLogger("edumod")


def kind_of(name: str) -> JobKind:
    """Raises `InvalidInput` for a job that only another version of the program knows."""
    if (kind := KINDS.get(name)) is None:
        raise InvalidInput(
            f"This worker is EduMod {version('edumod')}, which knows no job {name!r}. Start workers of the version "
            "that added it, and retry the job."
        )
    return kind


async def attempt(work: Workplace, name: str, arguments: Arguments, key: str, attempts: int) -> float | None:
    """Run a job; None when that is over, or the seconds before the next attempt.

    `attempts` is how often it was begun before. Never raises `Exception`.
    """
    try:
        await kind_of(name).run(work, arguments)
    except Exception as error:
        if isinstance(error, TRANSIENT) and attempts < len(WAITS):
            log.warning("The job %s %s is tried again in %.0f s: %s", name, key, WAITS[attempts], error)
            return WAITS[attempts]
        if not isinstance(error, EduModError):
            log.exception("The job %s %s failed", name, key)
        await note_failure(work, name, arguments, key, attempts + 1, _text(error))
    return None


async def note_failure(work: Workplace, name: str, arguments: Arguments, key: str, attempts: int, error: str) -> None:
    """Raises `StorageUnavailable`."""
    log.error("The job %s %s has failed after %d attempts: %s", name, key, attempts, error)
    await work.store.failed_jobs.add(name, key, dict(arguments), attempts, error)


async def retry_failed(work: Workplace, job_id: str) -> None:
    """Add a failed job again. Raises `NotFound`, and `InvalidInput` for a kind that this version does not know."""
    row = await work.store.failed_jobs.get(job_id)
    if row is None:
        raise NotFound(f"There is no failed job {job_id!r}. It may have been retried already.")
    await work.jobs.add(kind_of(row.kind).name, row.arguments, row.key)
    # Deleted last: a job that is added twice does no harm, one that is lost does.
    await work.store.failed_jobs.remove(job_id)


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, EduModError) else f"{type(error).__name__}: {error}"
