"""The report on computed feedback as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Column, Table

from eval.feedback.report import FeedbackReport
from eval.tables import Part, interval


def tabulate_feedback(report: FeedbackReport) -> Iterator[Part]:
    """A line per criterion."""
    columns = ("precision", "recall", "F1", "false alarms", "kappa", "line named")
    table = Table("criterion", Column("n", justify="right"), *columns, title=f"{report.n} submissions, computed checks")
    for name, one in report.criteria.items():
        figures = (one.precision, one.recall, one.f1, one.false_alarms, one.kappa, one.right_line)
        table.add_row(name.replace("_", " "), str(one.n), *map(interval, figures))
    yield table


def list_disagreements(report: FeedbackReport) -> Iterator[Part]:
    """Submissions judged otherwise than labelled."""
    for one in report.disagreements:
        verdicts = f"{one.criterion} is {one.label.words}, not {one.verdict.words}"
        yield escape(f"{one.submission}: {verdicts}. {one.evidence}")
