"""The report on the detection of personal data as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from eval.privacy.report import PrivacyReport
from eval.tables import Part, interval


def tabulate_privacy(report: PrivacyReport) -> Iterator[Part]:
    """A line per kind of personal data."""
    table = Table("kind", "marked", "recall", "found", "precision", title=f"{report.n} texts")
    for kind, figures in report.kinds.items():
        recall, precision = figures.recall, figures.precision
        table.add_row(kind.value, str(figures.marked), interval(recall), str(figures.found), interval(precision))
    yield table
    replaced = round(report.unlisted_marked * (report.unlisted.mean or 0))
    yield f"Of {report.unlisted_marked} names that nobody listed, {replaced} were replaced all the same."


def list_misses(report: PrivacyReport) -> Iterator[Part]:
    """What was missed or wrongly found."""
    for miss in report.misses:
        what = "missed" if miss.is_missed else "wrongly found"
        yield escape(f"{miss.item}: {what} {miss.kind.value} {miss.text!r}")
