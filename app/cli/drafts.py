"""`edumod drafts`: stored questions without an answer."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import BaseModel
from rich.markup import escape
from rich.table import Table

from app.answering import retrying
from app.cli.output import AsJson, output, print_json, with_services
from app.drafts import DEFAULT_LIMIT, MAX_LIMIT, find_drafts
from app.schemas import DraftsOut
from app.wiring import Services
from core.access import EVERYTHING
from core.errors import EduModError, InvalidInput, NotFound
from core.store.drafts.filter import DraftFilter
from core.store.tables import DraftState, now
from core.types import Status

commands = typer.Typer(help="Stored drafts: list them, and answer failed ones again.", no_args_is_help=True)

FAILED_AGAIN = 1
WRONG_INPUT = 2


class Retried(BaseModel):
    """The status of a draft's new answer, or the code and message of its error."""

    id: str
    status: Status | None = None
    code: str | None = None
    detail: str | None = None


class RetriedDrafts(BaseModel):
    drafts: tuple[Retried, ...]


@commands.command(name="list")
def list_drafts(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Only drafts of this course.")] = None,
    state: Annotated[DraftState | None, typer.Option(help="Only drafts in this state.")] = None,
    before: Annotated[str | None, typer.Option(help="The `next` of the previous page.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=MAX_LIMIT, help="Drafts per page.")] = DEFAULT_LIMIT,
    as_json: AsJson = False,
) -> None:
    """List drafts, newest first, without anything that a student wrote."""

    async def work(services: Services) -> DraftsOut:
        courses, states = (course,) if course else None, (state,) if state else ()
        return await find_drafts(services.store, DraftFilter(now(), courses, states), before, limit, EVERYTHING)

    page = with_services(work)
    print_json(page) if as_json else _show(page)


@commands.command()
def retry(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids of drafts.", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="All failed drafts of the course.")] = False,
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course id, with --all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer failed drafts' questions again, with the parameters of their requests."""
    if every == bool(ids) or every != (course is not None):
        raise InvalidInput("Name drafts by their ids, or choose all of a course: --all --course COURSE.")

    async def work(services: Services) -> list[tuple[str, Status | EduModError]]:
        chosen = await _find_failed(services, course) if course is not None else dict.fromkeys(ids or ())
        return [(draft_id, await _retry(services, draft_id)) for draft_id in chosen]

    outcomes = with_services(work)
    shown = RetriedDrafts(drafts=tuple(_outcome(*one) for one in outcomes))
    print_json(shown) if as_json else _show_outcomes(shown)
    if errors := [result for _, result in outcomes if isinstance(result, EduModError)]:
        is_wrong_input = all(isinstance(error, InvalidInput | NotFound) for error in errors)
        raise typer.Exit(WRONG_INPUT if is_wrong_input else FAILED_AGAIN)


async def _find_failed(services: Services, course: str) -> list[str]:
    ids: list[str] = []
    failed = DraftFilter(now(), (course,), (DraftState.FAILED,))
    before: str | None = None
    while True:
        page = await find_drafts(services.store, failed, before, MAX_LIMIT, EVERYTHING)
        ids.extend(draft.id for draft in page.drafts)
        if (before := page.next) is None:
            return ids[::-1]


async def _retry(services: Services, draft_id: str) -> Status | EduModError:
    """The status of the answer or, so that the other drafts are still retried, the error."""
    try:
        return (await retrying.retry(services.answering, draft_id, EVERYTHING)).status
    except EduModError as error:
        return error


def _outcome(draft_id: str, result: Status | EduModError) -> Retried:
    if isinstance(result, EduModError):
        return Retried(id=draft_id, code=result.code, detail=str(result))
    return Retried(id=draft_id, status=result)


def _show(page: DraftsOut) -> None:
    table = Table("draft", "state", "created", "error")
    for draft in page.drafts:
        error = f"{draft.error.code}: {draft.error.detail}" if draft.error else ""
        table.add_row(draft.id, draft.state.value, f"{draft.created_at:%Y-%m-%d %H:%M:%S} UTC", escape(error))
    output.print(table)
    if page.next:
        output.print(f"More: --before {page.next}", soft_wrap=True, highlight=False)


def _show_outcomes(retried: RetriedDrafts) -> None:
    table = Table("draft", "outcome")
    for draft in retried.drafts:
        failed = f"[red]{escape(draft.code)}[/] {escape(draft.detail or '')}" if draft.code else ""
        table.add_row(escape(draft.id), draft.status.value if draft.status else failed)
    output.print(table)
