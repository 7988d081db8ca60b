"""What an instructor reads first after loading a course."""

from __future__ import annotations

from datetime import date

from app.material.summary import MAX_SHOWN, summarise
from core.store.facts import CourseFacts
from core.types import Source, Usage, Visibility
from ingestion.run_report import FileOutcome, IngestedFile, IngestionReport
from retrievers.calendar.calendar import build_calendar
from tests.retrievers.calendar.test_calendar import NEWS, PLAN, SHEET, work

FILES = (
    IngestedFile(name="hw3.md", outcome=FileOutcome.INDEXED, visibility=Visibility.STUDENT),
    IngestedFile(name="key.md", outcome=FileOutcome.INDEXED, visibility=Visibility.STAFF, paired_with=("hw3.md",)),
    IngestedFile(name="maybe.md", outcome=FileOutcome.INDEXED, visibility=Visibility.STAFF, audience="Check this"),
    *(
        IngestedFile(name=f"{n}.png", outcome=FileOutcome.SKIPPED, reason="format .png is not supported")
        for n in range(9)
    ),
    IngestedFile(name="old.md", outcome=FileOutcome.SKIPPED, reason="excluded by the course file's rule for old.md"),
    *(IngestedFile(name=f"bad{n}.md", outcome=FileOutcome.FAILED, reason="cannot be read") for n in range(9)),
)
REPORT = IngestionReport(course="c", source=Source.ASSIGNMENT, model="offline", seconds=1.0, files=FILES, usage=Usage())
FACTS = CourseFacts([work("sheet", "homework", "3", "02-19", own=True), work("plan", "homework", "3", "02-20")])


def test_the_report_begins_with_what_matters_in_about_ten_lines() -> None:
    calendar = build_calendar(FACTS, (SHEET, PLAN, NEWS), "2026", date(2026, 2, 1))
    lines = list(summarise([REPORT], calendar).lines())
    assert len(lines) <= 5 + MAX_SHOWN
    text = "\n".join(lines)
    assert "assignments (1 file)" in text
    assert "due dates of 1 work (Homework 3)" in text
    assert "2 whole files, 1 of them joined to an assignment" in text
    assert "Not read: 9 .png, 1 excluded by you." in text
    assert "Homework 3 is due 2026-02-19 (sheet.md); or 2026-02-20 (plan.md)." in text
    assert "9 files could not be read: bad0.md, bad1.md, bad2.md, …" in text


def test_a_course_without_doubts_needs_no_look() -> None:
    calendar = build_calendar(CourseFacts(), (), "", date(2026, 2, 1))
    plain = REPORT.model_copy(update={"files": FILES[:1]})
    assert list(summarise([plain], calendar).lines())[-1] == "Nothing needs a look."
