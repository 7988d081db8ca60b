"""`edumod elmes page`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.eval.options import check_page
from app.cli.output import AsJson, print_done, with_store
from core.errors import InvalidInput
from core.files import write_atomically
from core.store.store import Store
from core.store.tables import now
from eval.scenarios.runs.page import Reported, scenarios_page
from eval.scenarios.runs.report import ScenarioReport
from eval.stored import stored_evaluation


def page(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of runs of scenarios, or their beginnings.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the page.")] = Path("scenarios.html"),
    as_json: AsJson = False,
) -> None:
    """Write the page of stored runs, several on one page: all figures, and every dialogue turn by turn."""
    check_page(output)
    content = scenarios_page(with_store(lambda store: _reported(store, ids)), now())
    write_atomically(output, content.encode(), private=False)
    print_done(str(output), as_json, written=str(output))


async def _reported(store: Store, ids: list[str]) -> list[Reported]:
    found: list[Reported] = []
    for prefix in ids:
        stored = await stored_evaluation(store.evaluations, prefix)
        if not isinstance(stored.report, ScenarioReport):
            raise InvalidInput(
                f"The evaluation {stored.name} is one of {stored.row.kind}. Name one of `edumod elmes run`: "
                "`edumod eval list --kind scenarios` shows their ids."
            )
        found.append((stored.report, stored.results))
    return found
