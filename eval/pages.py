"""Reports as self-contained HTML pages."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eval.charts import Mark, scatter, trend
from eval.functions import FUNCTIONS
from eval.functions_shown import best, differences, names, raters, share, short, usd
from eval.nightly import NightlyReport

MOST_LOST = 200
"""Lost answers shown on the page; the JSON file has all."""


def nightly_page(report: NightlyReport) -> str:
    """The nightly report for a browser."""
    retrievers = report.summary["retrievers"]
    lines = {name: [night.recall.get(name) for night in report.history] for name in retrievers}
    metrics = [name for name in next(iter(retrievers.values())) if "@" in name]
    chart = trend([night.at for night in report.history], lines, report.metric)
    template = _environment().get_template("nightly.html")
    return template.render(report=report, metrics=metrics, trend=Markup(chart), most_lost=MOST_LOST)  # noqa: S704


def functions_page(summary: dict[str, Any], at: datetime) -> str:
    """The report on function selection (`eval.functions.FunctionsReport.summary`) for a browser."""
    return (
        _environment()
        .get_template("functions.html")
        .render(
            summary=summary,
            at=at,
            best=best(summary),
            differences=differences(summary),
            functions=FUNCTIONS,
            chart=Markup(_quality(summary)),  # noqa: S704
            raters=raters(summary["agreement"]),
            failed=any(figures["unscored"] for figures in summary["pipelines"].values()),
        )
    )


def _quality(summary: dict[str, Any]) -> str:
    """Set F1 over cost; over model calls where nothing has a price, or all is free."""
    pipelines = summary["pipelines"]
    costs = [figures["cost_usd"] for figures in pipelines.values()]
    priced = all(cost is not None for cost in costs) and any(costs)
    field, label = ("cost_usd", "cost per question, USD") if priced else ("model_calls", "model calls per question")
    marks = [
        Mark(name, x, *(figures["set_f1"][key] for key in ("mean", "low", "high")))
        for name, figures in pipelines.items()
        if (x := figures[field]) is not None and figures["set_f1"]["mean"] is not None
    ]
    return scatter(marks, label, "set F1", (summary["best_constant"]["set_f1"], "best constant set"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eval"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"figure": _figure, "share": share, "short": short, "usd": usd, "functions": names}
    return environment


def _figure(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
