"""`edumod eval export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import errors, print_json, with_services
from app.wiring import Services
from core.errors import InvalidInput
from eval.comparison.compare import ChosenEvaluation, selected
from eval.export import ExportFormat, export_to, exported


def export(
    evaluation: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the evaluation or its beginning, or ID:ACTOR.")
    ],
    format_: Annotated[ExportFormat, typer.Option("--format", help="trec: run files, for rankings.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; stdout if none. trec writes a file per actor into a folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the files written as JSON.")] = False,
) -> None:
    """Export results: a row per actor, item and seed with scores, output, error, usage and time."""

    async def work(services: Services) -> ChosenEvaluation:
        return await selected(services.store.evaluations, evaluation)

    if as_json and out is None:
        raise InvalidInput("--json lists the files that were written; name a file or folder with --out.")
    selection = with_services(work)
    if out is not None:
        written = list(export_to(selection, format_, out))
        if as_json:
            print_json({"written": [str(path) for path in written]})
            return
        for path in written:
            errors.print(f"Written: {path}", soft_wrap=True, markup=False, highlight=False)
    elif format_ is ExportFormat.PARQUET and sys.stdout.isatty():
        raise InvalidInput("Parquet is binary and cannot be printed on a terminal. Name a file with --out.")
    else:
        sys.stdout.buffer.write(exported(selection, format_))
