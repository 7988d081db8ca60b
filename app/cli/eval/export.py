"""`edumod eval export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import errors, with_services
from app.wiring import Services
from core.errors import InvalidInput
from eval.compare import Selection, selected
from eval.export import Format, export_to, exported


def export(
    evaluation: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the evaluation or its beginning, or ID:ACTOR.")
    ],
    format_: Annotated[Format, typer.Option("--format", help="trec: run files, for rankings.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; stdout if none. trec writes a file per actor into a folder.")
    ] = None,
) -> None:
    """Export results: a row per actor, item and seed with scores, output, error, usage and time."""

    async def work(services: Services) -> Selection:
        return await selected(services.store.evaluations, evaluation)

    selection = with_services(work)
    if out is not None:
        for path in export_to(selection, format_, out):
            errors.print(f"Written: {path}", soft_wrap=True, markup=False, highlight=False)
    elif format_ is Format.PARQUET and sys.stdout.isatty():
        raise InvalidInput("Parquet is binary and cannot be printed on a terminal. Name a file with --out.")
    else:
        sys.stdout.buffer.write(exported(selection, format_))
