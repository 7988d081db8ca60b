"""`edumod forum`: try a course's forum, read it once, and see what became of its threads."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import BaseModel

from app.cli.output import AsJson, print_json, print_table, say, with_services
from app.forums.check import CheckedForum, check_forum
from app.wiring import Services
from core.store.tables import ForumPostState

commands = typer.Typer(help="Forums: try a course's forum, read it once, see its threads.", no_args_is_help=True)

CourseArgument = Annotated[str, typer.Argument(help="The course's id.")]
FAILED = 1


class ForumStatus(BaseModel):
    """How far a course's forum was read, its threads by state, and posts that wait or failed."""

    course: str
    error: str | None
    threads: dict[str, int]
    unsettled: int
    failed: int


@commands.command()
def check(
    course: CourseArgument,
    write: Annotated[
        bool, typer.Option("--write", help="Also post in `forum.staff_thread`, change the post, and delete it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Try a course's forum with its real account: what it can do, and whether it does what is expected of it."""

    async def work(services: Services) -> CheckedForum:
        return await check_forum(await services.forums.engine(await services.store.courses.read(course)), write=write)

    checked = with_services(work)
    if as_json:
        print_json(checked)
    else:
        print_table(("Check", "Outcome", ""), [(one.name, one.outcome, one.detail) for one in checked.checks])
    if any(one.outcome == "failed" for one in checked.checks):
        raise typer.Exit(FAILED)


@commands.command()
def poll(course: CourseArgument, as_json: AsJson = False) -> None:
    """Read a course's forum and do everything that is due, once. The service does so all the time."""

    async def work(services: Services) -> ForumStatus:
        engine = await services.forums.engine(await services.store.courses.read(course))
        while await engine.step():
            pass
        return await _status(services, course)

    _show(with_services(work), as_json)


@commands.command()
def status(course: CourseArgument, as_json: AsJson = False) -> None:
    """How far a course's forum was read, its threads by state, and posts that wait or failed."""

    async def work(services: Services) -> ForumStatus:
        await services.store.courses.get(course)
        return await _status(services, course)

    _show(with_services(work), as_json)


async def _status(services: Services, course: str) -> ForumStatus:
    row = await services.store.forums.get(course)
    posts = await services.store.forums.posts(course, limit=1_000)
    settled = (ForumPostState.POSTED, ForumPostState.HELD, ForumPostState.CANCELLED, ForumPostState.FAILED)
    return ForumStatus(
        course=course,
        error=row.error if row else "The forum was never read.",
        threads=await services.store.forums.counts(course),
        unsettled=sum(post.state not in settled for post in posts),
        failed=sum(post.state is ForumPostState.FAILED for post in posts),
    )


def _show(found: ForumStatus, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    say(found.error or "The forum was read.")
    print_table(("Threads", "Number"), [(state, str(number)) for state, number in found.threads.items()])
    say(f"{found.unsettled} posts wait, {found.failed} failed.")
