"""What an experiment adds to the report on answers, as tables of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from eval.answers.ablations import Worth
from eval.answers.differing import DifferingItem
from eval.answers.report import AnswersReport
from eval.statistics import ALPHA
from eval.tables import Part, lines_of, plain_table

MAX_ITEMS, MAX_CHARS = 5, 40


def tabulate_experiment(report: AnswersReport) -> Iterator[Part]:
    """What left-out fields are worth, who is on the Pareto front, and where actors differ most."""
    if report.front and len(report.front.actors) > 1:
        yield ""
        names = ", ".join(report.front.actors)
        yield escape(f"Pareto front of {report.front.quality} and {report.front.effort}: {names}")
    if report.ablations:
        yield ""
        yield _table(report)
        yield "Better by that much with it, on messages that have it; * p < .05 (Holm)"
    if report.differing:
        yield ""
        yield _differing(report.differing)


def _table(report: AnswersReport) -> Table:
    table = plain_table("what was left out, and what it is worth", "")
    for name in ("without", "n", *(worth.metric for worth in report.ablations[0].worth)):
        table.add_column(escape(name.replace("_", "\n")), justify="right", no_wrap=True)
    for one in report.ablations:
        table.add_row(lines_of(one.actor), one.without, str(one.n), *map(_gain, one.worth))
    return table


def _gain(worth: Worth) -> str:
    gain = worth.gain
    if gain.mean is None:
        return "–"
    return f"{gain.mean:+.2f}{'*' * (worth.p < ALPHA)}\n[dim]{gain.low:+.2f}–{gain.high:+.2f}[/]"


def _differing(items: Sequence[DifferingItem]) -> Table:
    table = plain_table(f"messages on which actors differ most, by {escape(items[0].metric)}", "")
    table.add_column("best", overflow="fold")
    table.add_column("worst", overflow="fold")
    for one in items[:MAX_ITEMS]:
        sides = (f"{shown.score:.2f}  {shown.actor}" for shown in (one.best, one.worst))
        table.add_row(escape(f"{one.item}: {one.text[:MAX_CHARS]}"), *map(escape, sides))
    return table
