"""`edumod worker`: does the jobs that wait in PostgreSQL."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Annotated

import typer

from app.cli.output import warn, with_services
from app.jobs.kind import Lane
from app.jobs.shared import SharedQueue
from app.wiring import Services
from core.errors import InvalidInput, SetupError

ALL = ",".join(Lane)
Queues = Annotated[str, typer.Option("--queue", "-q", help=f"Queues to work on, comma-separated: {', '.join(Lane)}.")]


def worker(
    queue: Queues = ALL,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=100, help="Jobs at once.")] = 8,
) -> None:
    """Do jobs that wait in PostgreSQL until stopped: ingestion, evaluations, nightly reports, webhooks, forums.

    Any number of workers on any number of machines may run. With SQLite, each process does its own jobs.
    """
    lanes = _lanes_in(queue)

    async def work(services: Services) -> None:
        if not isinstance(services.jobs, SharedQueue):
            raise SetupError(
                "A worker needs PostgreSQL (EDUMOD_DATABASE_URL). With SQLite, each process does its own jobs."
            )
        working = asyncio.create_task(services.jobs.work(lanes, concurrency))
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, working.cancel)
        await services.sweeper.serve()
        services.store.database.follow()
        if Lane.WEBHOOKS in lanes:
            services.outbox_worker.start()
        if Lane.LLM in lanes:
            services.judging.start()
        if Lane.FORUMS in lanes:
            services.forums.start()
        warn(f"Working on {', '.join(lanes)}, {concurrency} jobs at once.")
        with suppress(asyncio.CancelledError):
            await working

    with_services(work)


def _lanes_in(text: str) -> list[Lane]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in {*Lane}] or (["(none)"] if not names else []):
        raise InvalidInput(f"There is no queue {unknown[0]}. The queues are {', '.join(Lane)}.")
    return [Lane(name) for name in dict.fromkeys(names)]
