"""`edumod backup`: the whole database in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import AsJson, output, print_json
from core.settings import read_settings
from core.store.copies.transfer import Counts, back_up

ReplaceOption = Annotated[bool, typer.Option("--replace", help="Delete what that database holds.")]


def backup(
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet; it will be readable by you alone.")],
    as_json: AsJson = False,
) -> None:
    """Write everything in the database to a file, as it is at one moment; the service may go on.

    `edumod restore` fills a database of either kind from it, of this version or a later one.
    """
    show_counts("written", back_up(read_settings().url, file), as_json=as_json)


def show_counts(done: str, counts: Counts, *, as_json: bool) -> None:
    """How many rows of each table."""
    if as_json:
        print_json({"rows": counts})
        return
    tables = ", ".join(f"{table} {count}" for table, count in counts.items() if count)
    output.print(f"{sum(counts.values())} rows {done}" + (f": {tables}" if tables else "."), soft_wrap=True)
