"""Reports as self-contained HTML pages."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eval.charts import trend
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


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eval"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["figure"] = _figure
    return environment


def _figure(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
