"""The nightly report as a self-contained HTML page."""

from __future__ import annotations

from markupsafe import Markup

from eval.charts import trend
from eval.nightly import NightlyReport
from eval.pages import environment

MAX_WORSE = 200
"""Maximum number of worse answers on the page; the JSON file has all."""


def nightly_page(report: NightlyReport) -> str:
    """The report for a browser."""
    lines = {name: [night.recall.get(name) for night in report.history] for name in report.summary.actors}
    chart = trend([night.at for night in report.history], lines, report.metric)
    template = environment().get_template("nightly.html")
    return template.render(report=report, trend=Markup(chart), max_worse=MAX_WORSE)  # noqa: S704
