"""`edumod eval list`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, output, print_json, with_services
from app.wiring import Services
from eval.stored import ListedEvaluation, listed_evaluations, short_id
from eval.tables import plain_table


def list_(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Only evaluations of this course.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind, such as retrieval, answers or feedback.")] = None,
    as_json: AsJson = False,
) -> None:
    """List evaluations, newest first; times are in UTC."""

    async def work(services: Services) -> list[ListedEvaluation]:
        return await listed_evaluations(services.store, course, kind)

    found = with_services(work)
    print_json(found) if as_json else _show(found)


def _show(found: list[ListedEvaluation]) -> None:
    table = plain_table("", "id", "kind", "data set")
    table.add_column("actors", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column("state", no_wrap=True)
    table.add_column("when", no_wrap=True)
    for one in found:
        when = one.finished_at or one.created_at
        actors = ", ".join(one.actors)
        table.add_row(
            short_id(one.id),
            one.kind,
            escape(one.dataset),
            escape(actors),
            str(one.n),
            one.shown_state,
            f"{when:%Y-%m-%d %H:%M}",
        )
    output.print(table)
