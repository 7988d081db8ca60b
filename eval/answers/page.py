"""The report on answers as a self-contained HTML page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from eval.answers.front import COST, LATENCY, position
from eval.answers.report import AnswersReport
from eval.answers.shown import counts, heading, paired_tests, significant
from eval.charts import Mark, SharePoint, reliability, scatter
from eval.pages import environment

EFFORTS = {COST: "cost per message, USD", LATENCY: "median milliseconds per message"}
"""Labels of the plot."""


def answers_page(report: AnswersReport, at: datetime) -> str:
    """The report on answers for a browser."""
    return (
        environment()
        .get_template("answers.html")
        .render(
            report=report,
            at=at,
            heading=heading(report),
            counts=counts(report),
            significant=significant(report),
            tests=paired_tests(report),
            chart=Markup(_reliability(report)),  # noqa: S704
            plot=Markup(_quality(report)),  # noqa: S704
            effort=EFFORTS[report.front.effort] if report.front else "",
            failed=any(figures.unscored for figures in report.actors.values()),
        )
    )


def _reliability(report: AnswersReport) -> str:
    diagrams = {
        name: [
            SharePoint(one.confidence, one.right.mean or 0.0, one.right.low or 0.0, one.right.high or 0.0, one.n)
            for one in figures.reliability
        ]
        for name, figures in report.actors.items()
        if figures.reliability
    }
    return reliability(diagrams, "confidence", "share with the right passage first") if diagrams else ""


def _quality(report: AnswersReport) -> str:
    """Quality over cost or time; what has neither is a line at its height."""
    if report.front is None:
        return ""
    metric, effort = report.front.quality, report.front.effort
    means = {name: mean for name, one in report.actors.items() if (mean := one.means[metric]).mean is not None}
    heights = {name: mean.mean or 0.0 for name, mean in means.items()}
    at = {name: x for name in means if (x := position(report.actors[name], effort)) is not None}
    marks = [Mark(name, x, heights[name], means[name].low or 0.0, means[name].high or 0.0) for name, x in at.items()]
    lines = {name: height for name, height in heights.items() if name not in at}
    corners = [(at[name], heights[name]) for name in report.front.actors]
    return scatter(marks, EFFORTS[effort], metric, lines, corners)
