"""The report on computed feedback as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.markup import escape
from rich.table import Column, Table

from eval.feedback.report import CriterionFigures, FeedbackReport
from eval.tables import Part, interval


def tabulate_feedback(report: FeedbackReport) -> Iterator[Part]:
    """A line per criterion, of the computed checks and of feedback with a model."""
    yield _table(report.criteria, f"{report.n} submissions, computed checks")
    if report.with_model:
        yield _table(report.with_model, f"{report.n} submissions, with a model")


def _table(criteria: Mapping[str, CriterionFigures], title: str) -> Table:
    columns = ("precision", "recall", "F1", "false alarms", "kappa", "line named")
    table = Table("criterion", Column("n", justify="right"), *columns, title=title)
    for name, one in criteria.items():
        figures = (one.precision, one.recall, one.f1, one.false_alarms, one.kappa, one.right_line)
        table.add_row(name.replace("_", " "), str(one.n), *map(interval, figures))
    return table


def list_disagreements(report: FeedbackReport) -> Iterator[Part]:
    """Submissions judged otherwise than labelled."""
    for one in report.disagreements:
        verdicts = f"{one.criterion} is {one.label.words}, not {one.verdict.words}"
        yield escape(f"{one.submission}: {verdicts}. {one.evidence}")
