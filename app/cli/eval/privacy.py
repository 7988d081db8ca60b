"""`edumod eval privacy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.eval.tables.figures import interval
from app.cli.output import AsJson, output, print_json
from eval.privacy import measure_privacy, read_privacy_items

SHOWN_MISSES = 40


def privacy(
    texts: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSONL file of marked texts.")] = Path(
        "data/privacy/texts.jsonl"
    ),
    misses: Annotated[bool, typer.Option("--misses", help="Show what was missed or wrongly found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how well names, e-mail addresses, phone numbers and student ids are found in students' texts."""
    report = measure_privacy(read_privacy_items(texts))
    if as_json:
        print_json(report)
        return
    table = Table("kind", "marked", "recall", "found", "precision", title=f"{report.n} texts")
    for kind, figures in report.kinds.items():
        recall, precision = figures.recall, figures.precision
        table.add_row(kind.value, str(figures.marked), interval(recall), str(figures.found), interval(precision))
    output.print(table)
    replaced = round(report.unlisted_marked * (report.unlisted.mean or 0))
    output.print(f"Of {report.unlisted_marked} names that nobody listed, {replaced} were replaced all the same.")
    for miss in report.misses[:SHOWN_MISSES] if misses else ():
        what = "missed" if miss.is_missed else "wrongly found"
        output.print(f"{miss.item}: {what} {miss.kind.value} {escape(repr(miss.text))}", soft_wrap=True)
