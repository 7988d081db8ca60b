"""All kinds of jobs. Adding one is one entry in `KINDS`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from app.jobs.kind import Arguments, JobKind, Lane, Workplace
from app.jobs.retention import delete_old
from core.errors import InvalidInput
from core.store.tables import now
from core.types import Source

COMMANDS = ("eval", "report")
"""Commands that a job may be: those that measure, and change no material."""
OUTPUT_CHARS = 2_000
"""Of a command's messages that an error quotes."""
log = logging.getLogger("edumod")


async def _ingest(work: Workplace, arguments: Arguments) -> None:
    """Ingest one file that waits. Done before, it finds the file unchanged, or gone."""
    from app.jobs.uploads import ingest_waiting  # It imports ingestion, which answering does not need.

    await ingest_waiting(work, arguments["course"], Source(arguments["source"]), arguments["name"])


async def _index_vectors(work: Workplace, arguments: Arguments) -> None:
    """Bring the vectors of a course up to date in the database, with its graph. Done before, it finds them so."""
    course = await work.store.courses.find(arguments["course"])
    if course is None or work.indexes.nearest is None:
        return
    record = course.embedding or work.embeddings.builtin_embedding
    await work.indexes.nearest.index_course(course.id, record.id, record.dimension)


async def _command(work: Workplace, arguments: Arguments) -> None:
    """Run a command in a process of its own. Evaluations share their cells with others of the same plan."""
    words = [str(word) for word in arguments["words"]]
    if words[:1] and words[0] not in COMMANDS:
        raise InvalidInput(f"A job can be one of the commands {', '.join(COMMANDS)}, not {words[0]!r}.")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.cli.run", *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "EDUMOD_HOME": str(work.settings.home)}, start_new_session=True,
    )  # fmt: skip
    try:
        messages, _ = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()
        await process.wait()
        raise
    if process.returncode:
        told = messages.decode(errors="replace").strip()[-OUTPUT_CHARS:]
        raise InvalidInput(f"edumod {' '.join(words)} ended with {process.returncode}. {told}")


async def _nightly(work: Workplace, arguments: Arguments) -> None:
    """Add a report of tonight for every course that has labelled queries. Done before, it finds them there."""
    from eval.datasets.queries import KIND  # It imports evaluation, which answering does not need.

    today = now().date()
    for course in await work.store.courses.all():
        nights = await work.store.evaluations.history(course.id, "nightly")
        is_done = bool(nights) and (nights[-1].finished_at or nights[-1].created_at).date() == today
        if not is_done and await work.store.evaluations.labels(course.id, KIND):
            words = ["report", "nightly", "--course", course.id]
            await work.jobs.add("command", {"words": words}, f"nightly {course.id} {today}")
    for course in await work.store.courses.all():
        await work.jobs.add("vectors", {"course": course.id}, course.id)


async def _weekly(work: Workplace, arguments: Arguments) -> None:
    """Add the e-mails of last week. Those of a week that are sent are not sent again."""
    await work.add_weekly_mails()


async def _weekly_mail(work: Workplace, arguments: Arguments) -> None:
    """Send one person the summary of one course."""
    await work.send_weekly_mail(arguments["course"], arguments["week"], arguments["person"])


async def _retention(work: Workplace, arguments: Arguments) -> None:
    """Delete what is older than its course keeps it. Done before, it finds nothing."""
    await delete_old(work.store)


KINDS: dict[str, JobKind] = {
    kind.name: kind
    for kind in (
        JobKind("ingest", Lane.PARSE, _ingest, priority=10),
        JobKind("vectors", Lane.EMBED, _index_vectors, priority=5),
        JobKind("command", Lane.EVAL, _command),
        JobKind("nightly", Lane.EVAL, _nightly, cron="0 3 * * *"),
        # By then it is Monday in America as well.
        JobKind("weekly", Lane.WEBHOOKS, _weekly, cron="0 12 * * 1"),
        JobKind("weekly mail", Lane.WEBHOOKS, _weekly_mail),
        JobKind("retention", Lane.EVAL, _retention, cron="17 * * * *"),
    )
}


def command_job(words: list[str]) -> dict[str, list[str]]:
    """The arguments of a job that is a command. Raises `InvalidInput` for one that a job cannot be."""
    if not words or words[0] not in COMMANDS:
        raise InvalidInput(f"A job can be one of the commands {', '.join(COMMANDS)}. Name one behind `--`.")
    return {"words": words}
