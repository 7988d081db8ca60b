"""The report of `edumod eval answers` on a terminal of 80 columns."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from app.cli.eval.tables import interval, percentiles, plain_table
from app.cli.output import output
from eval.answers.report import AnswerFigures, AnswersReport
from eval.answers.shown import heading, significant
from eval.functions.shown import usd
from eval.statistics import Mean

DECISIONS = ("retrieved", "cited_first", "cited", "wrongly_abstained", "wrongly_answered", "no_response_right")
BAR = 30
"""Characters of the longest bar of the reliability diagram."""


def show(report: AnswersReport) -> None:
    """On stdout: two tables of figures, figures by kind of message, and the reliability of the confidence."""
    output.print(_passages(report))
    output.print()
    output.print(_texts(report))
    output.print()
    for name, figures in report.actors.items():
        output.print(_reliability(name, figures))


def _passages(report: AnswersReport) -> Table:
    table = plain_table(escape(heading(report)), "")
    names = [name for name in DECISIONS if name in report.means]
    for name in names:
        table.add_column(name.replace("_", "\n", 1), justify="right", no_wrap=True)
    marks = significant(report)
    for actor, figures in report.actors.items():
        cells = (_marked(figures.means[name], (actor, name) in marks) for name in names)
        table.add_row(_lines(actor, figures), *cells)
    return table


def _texts(report: AnswersReport) -> Table:
    others = [name for name in report.means if name not in DECISIONS and name != "brier"]
    table = plain_table("", "")
    heads = (*(name.replace("_", "\n", 1) for name in others), "auc", "brier", "brier\nskill")
    for name in (*heads, "latency_ms\np50, p95", "calls\ncost"):
        table.add_column(name, justify="right", no_wrap=True)
    for actor, figures in report.actors.items():
        reliability = (figures.auc, figures.means["brier"], figures.brier_skill)
        table.add_row(
            _lines(actor, figures),
            *(interval(figures.means[name]) for name in others),
            *map(interval, reliability),
            percentiles(figures.latency_ms),
            _usage(figures),
        )
    return table


def _usage(figures: AnswerFigures) -> str:
    calls = "–" if figures.model_calls is None else f"{figures.model_calls:.2g}"
    return f"{calls}\n[dim]{usd(figures.cost_usd)}[/]"


def _marked(mean: Mean, is_significant: bool) -> str:
    value, *rest = interval(mean).split("\n")
    return "\n".join([value + "*" * is_significant, *rest])


def _lines(name: str, figures: AnswerFigures) -> str:
    """An experiment's combination, one parameter per line."""
    failed = f"\n[red]{figures.unscored} failed[/]" if figures.unscored else ""
    return escape(name.replace(" ", "\n").replace("/", "/\n")) + failed


def _reliability(name: str, figures: AnswerFigures) -> Table:
    table = plain_table(f"reliability of the confidence: {escape(name)}", "confidence")
    for column in ("n", "mean", "right"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("share of right ones", no_wrap=True)
    for one in figures.reliability:
        share = one.right.mean or 0.0
        table.add_row(
            f"{one.start:.1f}–{one.end:.1f}",
            str(one.n),
            f"{one.confidence:.2f}",
            f"{share:.2f}",
            "█" * round(BAR * share),
        )
    return table
