"""What the course's staff said holds over what the material was read as."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from core.course import Course
from core.course.calendar import SET_DATES_NAME, CalendarEntry
from core.facts import FactKind
from core.store.facts import CourseFacts
from core.store.tables import EventRow, StaffRow, WorkRow
from core.types import Passage
from retrievers.calendar.calendar import build_calendar
from retrievers.calendar.lookup import look_up
from retrievers.calendar.model import Calendar
from retrievers.calendar.overruled import without_overruled
from retrievers.calendar.set_dates import blocks_of
from retrievers.calendar.subjects import key_of_work
from tests.retrievers.calendar.test_calendar import PLAN, SHEET, TODAY, event, passage, work

HOMEWORK = work("sheet", "homework", "3", "02-19", own=True)
OTHER = work("plan", "homework", "3", "02-20")
MIDTERM = event(FactKind.EXAM, "Midterm", "03-10")


def set_passages(entries: dict[str, CalendarEntry]) -> list[Passage]:
    return [
        passage(f"set-{number}").model_copy(update={"document": SET_DATES_NAME, "text": text})
        for number, (_, text) in enumerate(blocks_of(entries).values())
    ]


def corrected(*rows: WorkRow | EventRow | StaffRow, is_stored: bool = True, **entries: dict[str, Any]) -> Calendar:
    """The calendar with entries, whose keys have `_` for a space."""
    content = {key.replace("_", " "): value for key, value in entries.items()}
    own = Course.model_validate({"id": "c", "calendar": content}).calendar
    facts = CourseFacts(
        [row for row in rows if isinstance(row, WorkRow)],
        [row for row in rows if isinstance(row, EventRow)],
        [row for row in rows if isinstance(row, StaffRow)],
    )
    passages = [SHEET, PLAN, *(set_passages(own) if is_stored else ())]
    return build_calendar(facts, passages, "Weaving, Spring 2026", TODAY, own)


def answers(calendar: Calendar, query: str) -> list[tuple[str, str, str]]:
    return [
        (said.fact.name, said.fact.at.text if said.fact.at else said.fact.details, said.passage.document)
        for said in look_up(calendar, query, TODAY)
    ]


def test_a_set_date_is_the_only_one_and_is_cited_from_its_own_document() -> None:
    calendar = corrected(HOMEWORK, OTHER, Homework_3={"due": "2026-03-06 23:59"})
    assert answers(calendar, "when is hw 3 due?") == [("Homework 3", "2026-03-06 23:59", SET_DATES_NAME)]
    assert not calendar.disputed
    (said,) = look_up(calendar, "wann ist Hausaufgabe 3 fällig?", TODAY)
    assert said.fact.quote in said.passage.text


def test_what_is_left_out_of_an_entry_is_as_the_material_says() -> None:
    (own,) = corrected(HOMEWORK, Homework_3={"points": 12}).works
    assert (own.due[0].said[0].passage, own.points) == (SHEET, 12)


def test_the_course_s_own_word_for_what_is_handed_in_is_kept() -> None:
    sheet = work("sheet", "assignment", "3", "02-19", own=True)
    (own,) = corrected(sheet, Homework_3={"due": "2026-03-06"}).works
    assert (own.label, own.due[0].moment.text) == ("Assignment 3", "2026-03-06")


def test_a_work_that_no_document_names_is_added() -> None:
    calendar = corrected(HOMEWORK, Reading_response={"due": "2026-03-01"})
    assert answers(calendar, "when is the reading response due?") == [
        ("Reading response", "2026-03-01", SET_DATES_NAME)
    ]
    assert answers(calendar, "when is hw 3 due?") == [("Homework 3", "2026-02-19", "sheet.md")]


def test_no_due_date_is_said_and_what_is_removed_is_not_there() -> None:
    never = corrected(HOMEWORK, Homework_3={"due": "none"})
    assert answers(never, "when is hw 3 due?") == [("Homework 3", "no due date", SET_DATES_NAME)]
    gone = corrected(HOMEWORK, OTHER, Homework_3={"removed": True})
    assert not gone.works
    assert answers(gone, "when is hw 3 due?") == []


def test_until_its_document_is_stored_neither_date_is_said() -> None:
    assert answers(corrected(HOMEWORK, is_stored=False, Homework_3={"due": "2026-03-06"}), "when is hw 3 due?") == []


def test_an_exam_replaces_every_reading_of_it_works_too() -> None:
    entry = {"kind": "exam", "at": "2026-03-12 10:00", "until": "12:00", "place": "Hall 1"}
    rows = (MIDTERM, event(FactKind.EXAM, "Midterm exam", "03-11"), work("sheet", "midterm", "", "03-10"))
    calendar = corrected(*rows, Midterm=entry)
    assert [(own.row.title, own.moment.text, own.row.place) for own in calendar.events] == [
        ("Midterm", "2026-03-12 10:00", "Hall 1")
    ]
    assert answers(calendar, "when is the midterm?") == [("Midterm", "2026-03-12 10:00", SET_DATES_NAME)]


def test_of_events_of_one_name_only_that_of_the_day_is_meant() -> None:
    rows = (event(FactKind.HOLIDAY, "No class", "03-10"), event(FactKind.HOLIDAY, "No class", "04-10"))
    moved = {"2026-03-10_No_class": {"kind": "holiday", "at": "2026-03-11"}}
    assert [own.moment.text for own in corrected(*rows, **moved).events] == ["2026-03-11", "2026-04-10"]


def test_a_title_that_begins_with_a_day_or_is_long_is_still_its_own_row() -> None:
    dated, long = work("plan", "", "", "02-27", title="2026-02-27 Proposal"), work("plan", "", "", "03-01")
    long.title = "Reading  " + "of a text " * 40
    for row in (dated, long):
        (read,) = corrected(row).works
        (own,) = corrected(row, **{key_of_work(read): {"due": "2026-03-20"}}).works
        assert own.due[0].moment.text == "2026-03-20"


def test_a_person_has_the_hours_that_staff_say() -> None:
    rows = [
        StaffRow(node_id="plan", ordinal=n, course_id="c", name="Ada Byron", hours=hours, quote=hours)
        for n, hours in enumerate(("Mon 10-11", "Tue 12-13"))
    ]
    calendar = corrected(*rows, Ada_Byron={"kind": "staff", "hours": "Fri 9-10", "role": "TA"})
    assert answers(calendar, "when are Ada Byron's office hours?") == [("Ada Byron", "Fri 9-10", SET_DATES_NAME)]


def test_words_that_do_not_hold_are_left_out_of_passages() -> None:
    row = work("plan", "homework", "3", "02-19")
    row.quote = "| Homework 3 | Probability | Thursday, February 19, 23:59 |"
    calendar = corrected(row, Homework_3={"due": "2026-03-06"})
    table = PLAN.model_copy(update={"text": f"| Homework 2 | Tables | February 12 |\n{row.quote}"})
    assert without_overruled(table, calendar).text == (
        "| Homework 2 | Tables | February 12 |\n| Homework 3 | Probability | … |"
    )
    assert without_overruled(SHEET, calendar) is SHEET
    below = SHEET.model_copy(update={"heading_path": (row.quote, "Part 1")})
    assert without_overruled(below, calendar).heading_path == ("| Homework 3 | Probability | … |", "Part 1")


def test_other_days_in_the_same_words_are_kept_and_so_is_a_day_that_holds() -> None:
    row = work("plan", "homework", "3", "02-19")
    row.quote = "Homework 3 is out on Feb. 5 and due on Thursday, Feb. 19 at 5pm, after the quiz."
    text = PLAN.model_copy(update={"text": row.quote})
    moved = corrected(row, Homework_3={"due": "2026-03-06"})
    assert without_overruled(text, moved).text == "Homework 3 is out on Feb. 5 and due on …, after the quiz."
    confirmed = corrected(row, Homework_3={"due": "2026-02-19"})
    assert without_overruled(text, confirmed) is text


def test_all_days_that_the_same_words_give_are_left_out() -> None:
    due, released = work("sheet", "homework", "3", "02-19"), work("sheet", "homework", "3", "02-19")
    released.due, released.released = None, {"month": 2, "day": 5}
    due.quote = released.quote = "Released: February 5, 2026. Due: February 19, 2026 at 23:59."
    gone = corrected(due, released, Homework_3={"removed": True})
    text = SHEET.model_copy(update={"text": due.quote, "heading_path": (due.quote,)})
    own = without_overruled(text, gone)
    assert (own.text, own.heading_path) == ("Released: …. Due: ….", ("Released: …. Due: ….",))


def test_many_entries_do_not_slow_a_calendar() -> None:
    """Names are read once, not once for each pair of an entry and a work: that took 25 seconds."""
    rows = [work("sheet", "homework", str(number), "02-19") for number in range(1, 301)]
    entries = {f"Homework_{number}": {"due": "2026-03-06"} for number in range(1, 301)}
    started = process_time()
    assert len(corrected(*rows, **entries).works) == 300
    assert process_time() - started < 3


@pytest.mark.parametrize(
    "name", ["# Exam", "<script>x</script>", "a\n\n# b", "[x](/y)", r"\(x\) \[y\] \begin{z}", "`x` | y | $z$"]
)
def test_a_name_is_no_markup(name: str) -> None:
    from app.web.markdown import markdown

    own = Course.model_validate({"id": "c", "calendar": {name: {"due": "2026-03-06"}}}).calendar
    ((_, text),) = blocks_of(own).values()
    html = str(markdown(text, with_references=False))
    assert not any(tag in html for tag in ("<h1", "<script", "<a ", "<code", "<table", "<math"))
