"""CSV, YAML and iCalendar files that are schedules, and those that are not."""

from __future__ import annotations

from datetime import datetime

import pytest

from core.errors import DataDocument
from ingestion.loaders import load
from tests.ingestion.loaders.office.packages import saved, workbook

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//EN
X-WR-CALNAME:Weaving
X-WR-TIMEZONE:America/New_York
BEGIN:VEVENT
UID:1
DTSTAMP:20260101T000000Z
DTSTART:20260203T150000Z
DTEND:20260203T160000Z
RRULE:FREQ=WEEKLY;COUNT=3
SUMMARY:Lecture
LOCATION:Room 12
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTAMP:20260101T000000Z
DTSTART;VALUE=DATE:20260309
DTEND;VALUE=DATE:20260314
SUMMARY:Spring break
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTAMP:20260101T000000Z
DTSTART:20260401T150000Z
STATUS:CANCELLED
SUMMARY:Gone
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")


def text(name: str, content: str) -> str:
    return load(name, content.encode()).text


def test_what_is_repeated_has_its_dates_at_the_hour_of_its_place() -> None:
    lines = text("plan.ics", CALENDAR).split("\n")
    assert [line for line in lines if "Lecture" in line] == [
        f"| 2026-02-{day} 10:00 | 2026-02-{day} 11:00 | Lecture | Room 12 |" for day in ("03", "10", "17")
    ]
    assert "| 2026-03-09 | 2026-03-13 | Spring break |  |" in lines
    assert "Gone" not in text("plan.ics", CALENDAR)
    assert load("plan.ics", CALENDAR.encode()).title == "Weaving"


def test_a_row_of_a_csv_file_is_one_of_a_table() -> None:
    shown = text("plan.csv", 'Date;Topic;Due\n3-Sep;"<a href=""x"">Looms</a>";\n10-Sep;Silk;"HW 1<br/>Lab 1"\n')
    assert shown.split("\n")[2:] == ["| 3-Sep | Looms |  |", "| 10-Sep | Silk | HW 1; Lab 1 |"]


WEEKS = [["Weaving 101"], ["Date", "Topic", "Points"], [datetime(2026, 2, 3), "Looms", 5.0],
         [datetime(2026, 2, 10, 14, 30), "Silk | wool", None]]  # fmt: skip


def test_the_sheets_of_a_workbook_are_tables_below_a_title() -> None:
    assert load("plan.xlsx", saved(workbook(("Plan", WEEKS)))).text.split("\n") == [
        "| Date | Topic | Points |",
        "| --- | --- | --- |",
        "| 2026-02-03 | Looms | 5 |",
        "| 2026-02-10 14:30 | Silk / wool |  |",
    ]
    two = load("plan.xlsx", saved(workbook(("Plan", WEEKS), ("Labs", WEEKS)))).lines
    assert [line.text for line in two if line.level] == ["Plan", "Labs"]


def test_what_is_hidden_in_a_workbook_is_not_read() -> None:
    book = workbook(("Plan", WEEKS), ("Answers", [["Date", "Answer"], [datetime(2026, 2, 3), "Sheep"]]))
    book["Answers"].sheet_state = "hidden"
    book["Plan"].column_dimensions["C"].hidden = True
    book["Plan"].row_dimensions[4].hidden = True
    book["Plan"].append([datetime(2026, 2, 17), "Felt", 7])
    shown = load("plan.xlsx", saved(book)).text
    assert "Felt" in shown
    for hidden in ("Sheep", "Points", "Silk", "7"):
        assert hidden not in shown.replace("2026-02-17", "")


def test_records_within_records_stand_below_a_heading() -> None:
    shown = text(
        "plan.yaml", "weeks:\n- title: Week 1\n  days:\n  - {date: 2026-02-03, topic: Felt}\n  - {date: 2026-02-05}\n"
    )
    assert "Week 1" in shown
    assert "| 2026-02-03 | Felt |" in shown


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.csv", "x,y\n" + "1,2\n" * 50),
        ("prices.csv", "date,price\n" + "2026-02-03,5\n" * 900),
        ("episodes.csv", "title,aired\n" + "".join(f"Pilot,{year}-03-24\n" for year in range(2005, 2010))),
        ("people.csv", "name,mail,since\n" + "A,a@b.example,2026-02-03\n" * 9),
        ("_config.yml", "title: Weaving\nurl: https://a.example\n"),
        ("bomb.yaml", "a: &a [x, 2026-02-03]\nb: [*a, *a]\nc: 2026-02-03\n"),
    ],
)
def test_other_data_is_no_material(name: str, content: str) -> None:
    with pytest.raises(DataDocument, match=name):
        load(name, content.encode())


def test_what_people_have_got_is_no_schedule() -> None:
    rows = [["Name", "Submitted", "Score"], *([f"Student {n}", datetime(2026, 2, n), n] for n in range(1, 9))]
    with pytest.raises(DataDocument, match="people"):
        load("results.xlsx", saved(workbook(("Results", rows))))


def test_years_that_topics_name_do_not_count() -> None:
    topics = ("The storm of June 6, 1944", "November 9 1989", "September 11, 2001")
    lines = "".join(f"2026-02-{day:02d},{topic.replace(',', '')}\n" for day, topic in enumerate(topics, 1))
    assert "1944" in text("plan.csv", f"Date,Topic\n{lines}")


@pytest.mark.parametrize("head", ["Name,Due,Marks", "Name,Date,Note"])
def test_works_with_their_marks_and_days_are_a_schedule(head: str) -> None:
    assert "Loom" in text("works.csv", f"{head}\nLoom,2026-02-03,5\nSilk,2026-02-10,5\n")
