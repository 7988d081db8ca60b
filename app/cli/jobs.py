"""`edumod jobs`: what waits, what failed, and evaluations for workers to do."""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

import typer
from rich.markup import escape

from app.cli.output import AsJson, duration, print_done, print_json, print_table, with_services
from app.jobs.in_process import InProcessQueue
from app.jobs.kinds import command_job
from app.jobs.running import retry_failed
from app.wiring import Services

commands = typer.Typer(help="Jobs of workers: list them, retry failed ones, add evaluations.", no_args_is_help=True)

LINE_CHARS = 200


@commands.command(name="list")
def list_jobs(as_json: AsJson = False) -> None:
    """What waits and runs in each queue, and the jobs that failed for good, newest first."""

    async def work(services: Services) -> None:
        lanes, failed = await services.jobs.lanes(), await services.store.failed_jobs.all()
        if as_json:
            print_json(
                {
                    "queues": [
                        {"queue": lane.lane, "waiting": lane.waiting, "running": lane.running,
                         "oldest_seconds": round(lane.oldest_seconds, 1)}
                        for lane in lanes
                    ],
                    "failed": [row.model_dump(mode="json") for row in failed],
                }
            )  # fmt: skip
            return
        rows = ((lane.lane, f"{lane.waiting:,}", f"{lane.running:,}", duration(lane.oldest_seconds)) for lane in lanes)
        print_table(("queue", "waiting", "running", "oldest due for"), rows)
        if failed:
            cells = ((row.id, row.kind, escape(row.key), escape(row.error[:LINE_CHARS])) for row in failed)
            print_table(("failed job", "kind", "key", "error"), cells)

    with_services(work)


@commands.command()
def retry(job: Annotated[str, typer.Argument(help="Id of a failed job, or `all`.")], as_json: AsJson = False) -> None:
    """Do a failed job again."""

    async def work(services: Services) -> int:
        ids = [row.id for row in await services.store.failed_jobs.all()] if job == "all" else [job]
        for one in ids:
            await retry_failed(services, one)
        await _finish_here(services)
        return len(ids)

    count = with_services(work)
    print_done(f"{count} jobs were added again.", as_json, retried=count)


@commands.command()
def add(
    words: Annotated[list[str], typer.Argument(help="The command, as in: -- eval functions --course ds101.")],
    times: Annotated[int, typer.Option(min=1, max=64, help="How many workers share it.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Let workers run an evaluation or a report; those that run the same one share it out among them."""
    arguments = command_job(words)

    async def work(services: Services) -> None:
        batch = uuid4().hex[:8]
        for number in range(times):
            await services.jobs.add("command", arguments, f"{' '.join(words)} {batch} {number + 1}/{times}")
        await _finish_here(services)

    with_services(work)
    print_done(f"{times} jobs were added.", as_json, added=times)


async def _finish_here(services: Services) -> None:
    """Where there are no workers, this process does what it added."""
    if isinstance(services.jobs, InProcessQueue):
        await services.jobs.finish()
