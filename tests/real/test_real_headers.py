"""Floors of header detection on real assignments and worksheets of a university course."""

from __future__ import annotations

from pathlib import Path

from eval.headers.documents import read_header_dataset
from eval.headers.evaluation import headers_plan
from eval.headers.report import headers_report
from tests.eval.unstored import run

FLOOR_F1 = 0.98
"""Measured: 1.0 on 22 assignments with 240 question headings, as plain text without marks."""
FLOOR_JOINED = 0.95
"""Measured: 1.0 on each of five worksheets."""


async def test_question_headers_of_real_assignments_are_found_without_marks(shared_data: Path) -> None:
    report = headers_report(await run(headers_plan(read_header_dataset(shared_data / "ds100_su19_headers"))))
    assert (report.n, report.failures) == (22, ())
    assert report.f1
    assert report.f1.mean is not None
    assert report.f1.mean >= FLOOR_F1


async def test_real_worksheets_and_their_solutions_have_the_same_questions(shared_data: Path) -> None:
    report = headers_report(await run(headers_plan(read_header_dataset(shared_data / "ds100_disc_pdf"))))
    assert [twin.blank for twin in report.twins if not twin.agree] == []
    assert len(report.twins) == 5
    for twin in report.twins:
        assert twin.questions_blank
        assert twin.solution_blocks_joined is not None
        assert twin.solution_blocks_joined >= FLOOR_JOINED
