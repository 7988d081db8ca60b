"""`edumod eval feedback`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from app.cli.eval.tables.figures import interval
from app.cli.output import AsJson, output, print_json, progress_bar
from eval.feedback.dataset import read_feedback_dataset
from eval.feedback.evaluation import evaluate_feedback
from eval.feedback.report import FeedbackReport

SHOWN = 40


def feedback(
    dataset: Annotated[Path, typer.Option(help="Folder with problems.jsonl and submissions.jsonl.")],
    errors: Annotated[bool, typer.Option("--errors", help="Show submissions judged otherwise than labelled.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the computed feedback on homework: what it flags, and how often it flags work that is right.

    No model is called: this measures what is computed.
    """
    read = read_feedback_dataset(dataset)
    with progress_bar("submissions") as progress:
        report = asyncio.run(evaluate_feedback(read, progress))
    if as_json:
        print_json(report)
        return
    _show(report)
    for one in report.disagreements[:SHOWN] if errors else ():
        told = f"{one.submission}: {one.criterion} is {one.label.words}, not {one.verdict.words}. {one.evidence}"
        output.print(escape(told), soft_wrap=True, highlight=False)


def _show(report: FeedbackReport) -> None:
    columns = ("precision", "recall", "F1", "false alarms", "kappa", "line named")
    table = Table("criterion", Column("n", justify="right"), *columns, title=f"{report.n} submissions, computed checks")
    for name, one in report.criteria.items():
        figures = (one.precision, one.recall, one.f1, one.false_alarms, one.kappa, one.right_line)
        table.add_row(name.replace("_", " "), str(one.n), *map(interval, figures))
    output.print(table)
