"""CSV, YAML and iCalendar files that are schedules, and those that are not."""

from __future__ import annotations

import pytest

from core.errors import DataDocument
from ingestion.loaders import load

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
        ("people.csv", "name,mail,since\n" + "A,a@b.example,2026-02-03\n" * 9),
        ("_config.yml", "title: Weaving\nurl: https://a.example\n"),
        ("bomb.yaml", "a: &a [x, 2026-02-03]\nb: [*a, *a]\nc: 2026-02-03\n"),
    ],
)
def test_other_data_is_no_material(name: str, content: str) -> None:
    with pytest.raises(DataDocument, match=name):
        load(name, content.encode())
