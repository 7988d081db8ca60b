"""`edumod eval code`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from app.cli.eval.tables.figures import interval
from app.cli.output import AsJson, output, print_json, progress_bar
from eval.code.dataset import read_code_dataset
from eval.code.evaluation import evaluate_code
from eval.code.report import CodeFigures

SHOWN = 40


def code(
    dataset: Annotated[Path, typer.Option(help="Folder with exercises.jsonl and questions.jsonl.")],
    errors: Annotated[bool, typer.Option("--errors", help="Show questions whose mistake was not found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers to questions about code: the mistake found, nothing given away, the language kept.

    No model is called: this measures what is found in the code without running it, and the answers made of it.
    """
    read = read_code_dataset(dataset)
    with progress_bar("questions") as progress:
        figures = asyncio.run(evaluate_code(read, progress))
    if as_json:
        print_json(figures)
        return
    _show(figures)
    for one in figures.missed[:SHOWN] if errors else ():
        lines = " or ".join(map(str, one.lines))
        found = f"line {one.found.line}, {one.found.kind}: {one.found.summary}" if one.found else "nothing"
        output.print(
            escape(f"{one.question}: line {lines}, {one.kind}; found {found}"), soft_wrap=True, highlight=False
        )


def _show(figures: CodeFigures) -> None:
    columns = ("right line", "right kind", "both")
    table = Table("kind", Column("n", justify="right"), *columns, title=f"{figures.n} questions, computed answers")
    for name, one in figures.kinds.items():
        table.add_row(name.replace("_", " "), str(one.n), *map(interval, (one.right_line, one.right_kind, one.both)))
    table.add_section()
    table.add_row("all", str(figures.n), interval(figures.right_line), interval(figures.right_kind), "")
    output.print(table)
    output.print(f"Line and kind of syntax, name, type and off-by-one mistakes: {interval(figures.both)}")
    output.print(f"Solution disclosed: {interval(figures.disclosed)}; language kept: {interval(figures.language_kept)}")
