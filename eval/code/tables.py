"""The report on answers to questions about code as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Column, Table

from eval.code.report import CodeAnswersReport
from eval.tables import Part, interval


def tabulate_code(report: CodeAnswersReport) -> Iterator[Part]:
    """A line per kind of mistake, and what holds of all answers."""
    columns = ("right line", "right kind", "both")
    table = Table("kind", Column("n", justify="right"), *columns, title=f"{report.n} questions, computed answers")
    for name, one in report.kinds.items():
        table.add_row(name.replace("_", " "), str(one.n), *map(interval, (one.right_line, one.right_kind, one.both)))
    table.add_section()
    table.add_row("all", str(report.n), interval(report.right_line), interval(report.right_kind), "")
    yield table
    yield f"Line and kind of syntax, name, type and off-by-one mistakes: {interval(report.both)}"
    told, right = interval(report.told), interval(report.told_right)
    yield f"Named to the student: {told} of the questions; line and kind right: {right}"
    yield f"Solution disclosed: {interval(report.disclosed)}; language kept: {interval(report.language_kept)}"


def list_missed(report: CodeAnswersReport) -> Iterator[Part]:
    """Questions whose mistake was not found."""
    for one in report.missed:
        lines = " or ".join(map(str, one.lines))
        found = f"line {one.found.line}, {one.found.kind}: {one.found.summary}" if one.found else "nothing"
        yield escape(f"{one.question}: line {lines}, {one.kind}; found {found}")
