"""The report on function selection as a self-contained HTML page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from eval.charts import Mark, scatter
from eval.datasets.questions import FUNCTIONS
from eval.functions.report import FunctionsReport
from eval.functions.shown import best, differences, raters
from eval.metrics.set_f1 import SetF1
from eval.pages import environment


def functions_page(report: FunctionsReport, at: datetime) -> str:
    """The report for a browser."""
    return (
        environment()
        .get_template("functions.html")
        .render(
            report=report,
            at=at,
            best=best(report),
            differences=differences(report),
            functions=FUNCTIONS,
            chart=Markup(_quality(report)),  # noqa: S704
            raters=raters(report.agreement),
            failed=any(figures.unscored for figures in report.actors.values()),
        )
    )


def _quality(report: FunctionsReport) -> str:
    """Set F1 over cost, or over model calls if no price is known or everything is free."""
    costs = [figures.cost_usd for figures in report.actors.values()]
    priced = all(cost is not None for cost in costs) and any(costs)
    label = "cost per question, USD" if priced else "model calls per question"
    marks = [
        Mark(name, x, f1.mean, f1.low or 0.0, f1.high or 0.0)
        for name, figures in report.actors.items()
        if (x := figures.cost_usd if priced else figures.model_calls) is not None
        and (f1 := figures.means[SetF1.stem]).mean is not None
    ]
    return scatter(marks, label, SetF1.stem, {"best constant set": report.best_constant.set_f1})
