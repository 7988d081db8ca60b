"""Tables of figures, for terminals and pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from eval.report import Figures, Latency, PlainReport
from eval.statistics import Mean

Part = Table | str
"""A part of a report: a table, or a line in rich's markup."""


@dataclass(frozen=True)
class PlainTable:
    """A table without markup. A cell is its lines; `is_number` says of each column whether it is aligned right."""

    title: str
    heads: tuple[str, ...]
    is_number: tuple[bool, ...]
    rows: tuple[tuple[list[str], ...], ...]

    @classmethod
    def of(cls, table: Table) -> PlainTable:
        """What a terminal shows, for a page."""
        columns = [[plain_text(cell).split("\n") for cell in column.cells] for column in table.columns]
        return cls(
            title=plain_text(table.title or ""),
            heads=tuple(plain_text(column.header) for column in table.columns),
            is_number=tuple(column.justify == "right" for column in table.columns),
            rows=tuple(zip(*columns, strict=True)),
        )


def plain_text(markup: object) -> str:
    """A text without rich's markup."""
    return Text.from_markup(str(markup)).plain


def tabulate_means(report: PlainReport) -> Iterator[Part]:
    """The means of every actor, its calls and their cost."""
    table = plain_table(escape(f"{report.dataset}: {report.n} items, {report.seeds} seeds"), "actor")
    for name in (*report.means, "failed", "calls", "cost"):
        table.add_column(escape(name.replace("_", " ")), justify="right")
    for name, figures in report.actors.items():
        calls = "–" if figures.model_calls is None else f"{figures.model_calls:.3g}"
        means = (interval(figures.means[metric]) for metric in report.means)
        table.add_row(name_of(name, figures), *means, str(figures.unscored), calls, usd(figures.cost_usd))
    yield table


def plain_table(title: str, *columns: str) -> Table:
    """A table with one line below its header. On a narrow terminal, its first columns are folded."""
    named = (Column(name, overflow="fold") for name in columns)
    table = Table(*named, title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.padding = (0, 1, 0, 0)
    return table


def interval(mean: Mean) -> str:
    """A mean over its interval, without leading zeros: .912 over .89–.93."""
    if mean.mean is None:
        return "–"
    low, high = (short_share(value) for value in (mean.low, mean.high))
    return f"{mean.mean:.3f}".removeprefix("0") + f"\n[dim]{low}–{high}[/]"


def short_share(value: float | None) -> str:
    """A share with two decimals and no leading zero."""
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def percentiles(latency: Latency) -> str:
    """Median over 95th percentile."""
    p50, p95 = ("–" if ms is None else f"{ms:.0f}" for ms in (latency.p50, latency.p95))
    return f"{p50}\n[dim]{p95}[/]"


def lines_of(actor: str) -> str:
    """An actor's name on several lines: one parameter of a combination, or one file, per line."""
    return escape(actor.replace(" ", "\n").replace(",", ",\n"))


def name_of(actor: str, figures: Figures, failed: str = "") -> str:
    """An actor's name on several lines, with what its figures are made of."""
    marks = ["[dim]replayed[/]"] * figures.replayed
    if failed and figures.unscored:
        marks.append(f"[red]{figures.unscored} {failed}[/]")
    return "\n".join([lines_of(actor), *marks])


def share(value: float | None, digits: int = 3) -> str:
    """A share without its leading zero, as in .582."""
    return "–" if value is None else f"{value:.{digits}f}".removeprefix("0")


def usd(cost: float | None) -> str:
    """A cost in a column; `?` if the model's price is not known."""
    if cost is None:
        return "?"
    return "free" if cost == 0 else f"${cost:.4f}"
