"""Tables of figures on a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table

from eval.report import Latency
from eval.statistics import Mean


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
