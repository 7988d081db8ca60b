"""What left-out fields are worth, on a terminal of 80 columns."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from app.cli.eval.tables.figures import plain_table
from app.cli.output import output
from eval.answers.ablations import Worth
from eval.answers.report import AnswersReport
from eval.statistics import ALPHA


def show(report: AnswersReport) -> None:
    """On stdout, if anything was left out: by how much each metric is better with it."""
    if report.ablations:
        output.print()
        output.print(_table(report))
        output.print("Better by that much with it, on messages that have it; * p < .05 (Holm)")


def _table(report: AnswersReport) -> Table:
    table = plain_table("what was left out, and what it is worth", "")
    for name in ("without", "n", *(worth.metric for worth in report.ablations[0].worth)):
        table.add_column(escape(name.replace("_", "\n")), justify="right", no_wrap=True)
    for one in report.ablations:
        table.add_row(escape(one.actor.replace(" ", "\n")), one.without, str(one.n), *map(_gain, one.worth))
    return table


def _gain(worth: Worth) -> str:
    gain = worth.gain
    if gain.mean is None:
        return "–"
    return f"{gain.mean:+.2f}{'*' * (worth.p < ALPHA)}\n[dim]{gain.low:+.2f}–{gain.high:+.2f}[/]"
