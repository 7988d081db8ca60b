"""The report on answers as a self-contained HTML page."""

from __future__ import annotations

from datetime import datetime

from markupsafe import Markup

from eval.answers.report import AnswersReport
from eval.answers.shown import counts, heading, paired_tests, significant
from eval.charts import Share, reliability
from eval.pages import environment


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
            failed=any(figures.unscored for figures in report.actors.values()),
        )
    )


def _reliability(report: AnswersReport) -> str:
    diagrams = {
        name: [
            Share(one.confidence, one.right.mean or 0.0, one.right.low or 0.0, one.right.high or 0.0, one.n)
            for one in figures.reliability
        ]
        for name, figures in report.actors.items()
    }
    return reliability(diagrams, "confidence", "share with the right passage first")
