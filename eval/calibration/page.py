"""The report on a judge's agreement with people as a self-contained HTML page."""

from __future__ import annotations

from datetime import datetime

from eval.agreement import ScoreAgreement
from eval.calibration.report import CalibrationReport
from eval.pages import environment


def calibration_page(report: CalibrationReport, at: datetime) -> str:
    """The report for a browser, with the heatmap of judge against humans."""
    most = max((count for row in report.heatmap.counts for count in row), default=0)
    return (
        environment()
        .get_template("judges.html")
        .render(report=report, at=at, measures=tuple(ScoreAgreement.model_fields), most=max(most, 1))
    )
