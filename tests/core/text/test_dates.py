"""Dates and times as courses write them."""

from __future__ import annotations

from datetime import date

import pytest
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.dates import LANGUAGES, is_day_first, read_moments, times_in, weekdays_in

DAYS = st.dates(date(2000, 1, 1), date(2040, 12, 31))


@pytest.mark.parametrize(
    ("text", "moment", "weekday"),
    [
        ("Homework 4, due Friday February 10", "02-10", 4),
        ("Tuesday, April 28 at 5:00 pm", "04-28 17:00", 1),
        ("(9/11 11:59PM EST)", "09-11 23:59", None),
        ("January 20 (midnight)", "01-20 23:59", None),
        ("due by 11:59pm on Fri 2/10", "02-10 23:59", 4),
        ("due Thursday (10/3) at 9pm", "10-03 21:00", 3),
        ("on (10/3) in class (1:50 PM)", "10-03 13:50", None),
        ("am Donnerstag, 19. Februar 2026 um 23:59 Uhr", "2026-02-19 23:59", 3),
        ("el jueves 19 de febrero a las 23:59", "02-19 23:59", 3),
        ("jeudi 19 février à 23h", "02-19 23:00", 3),
        ("donderdag 19 februari om 23:59", "02-19 23:59", 3),
        ("2026年2月19日 周四 23:59", "2026-02-19 23:59", 3),
        ("2026-02-19T23:59:00", "2026-02-19 23:59", None),
        ("3-Sep", "09-03", None),
        ("29/12/2024", "2024-12-29", None),
    ],
)
def test_a_day_is_read_with_the_weekday_and_the_time_beside_it(text: str, moment: str, weekday: int | None) -> None:
    [mention] = read_moments(text)
    assert (mention.moment.text, mention.moment.weekday) == (moment, weekday)


@pytest.mark.parametrize(
    "text",
    ["section 3.2, version 1.10", "25/40 points", "31 February 31/31", "IP 10.0.0.1", "2 days ago", "Julia 1.10.4"],
)
def test_other_numbers_are_no_days(text: str) -> None:
    assert read_moments(text) == []


@pytest.mark.parametrize(
    "text", ["Quiz 1 (2/12), Friday 2/13: no class", "HW 1 (due 9/11) Monday lecture", "due Feb 12 (class on Friday)"]
)
def test_a_day_does_not_take_the_weekday_of_what_stands_beside_it(text: str) -> None:
    assert read_moments(text)[0].moment.weekday is None


def test_each_of_two_days_has_the_time_that_touches_it() -> None:
    first, second = read_moments("available Feb 20, 8:00 and due March 3, 2023, noon")
    assert (first.moment.text, second.moment.text) == ("02-20 08:00", "2023-03-03 12:00")


@pytest.mark.parametrize("text", ["Week 6, February 6-10", "January 30 - February 3", "6 February – 10 February"])
def test_a_stretch_of_days_is_one(text: str) -> None:
    [mention] = read_moments(text)
    assert mention.last is not None


def test_the_end_of_a_stretch_says_in_which_half_of_the_day_it_begins() -> None:
    assert [(time.time, time.until) for time in times_in("4:10-7:00pm")] == [("16:10", "19:00")]
    assert [(time.time, time.until) for time in times_in("10:30-12:30pm")] == [("10:30", "12:30")]
    assert weekdays_in("Tues/Fri 2-4PM") == [1, 4]


def test_a_date_that_can_be_read_in_one_way_says_how_the_others_are_meant() -> None:
    assert is_day_first("23/02 and 3/4") is True
    assert is_day_first("3/4 and 2/23") is False
    assert is_day_first("3/4") is None
    assert read_moments("3/4", day_first=True)[0].moment.text == "04-03"


@settings(max_examples=200, deadline=None)
@given(day=DAYS, language=st.sampled_from(LANGUAGES))
def test_every_day_is_read_back_in_every_language(day: date, language: str) -> None:
    for form in ("full", "long"):
        written = format_date(day, form, locale=language)
        [mention] = read_moments(f"due {written}.")
        assert mention.moment.on == day
        if form == "full":
            assert mention.moment.weekday == day.weekday()


@settings(max_examples=100, deadline=None)
@given(day=DAYS)
def test_numbers_of_a_day_are_read_back(day: date) -> None:
    for written in (day.isoformat(), f"{day.month}/{day.day}/{day.year}", f"{day.day}.{day.month}.{day.year}"):
        assert read_moments(written)[0].moment.on == day


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for mention in read_moments(text):
        assert 0 <= mention.start < mention.end <= len(text)
    times_in(text)


def test_a_long_line_of_dates_is_read_in_time() -> None:
    assert len(read_moments("Feb 3, 5 pm; " * 20_000)) == 20_000
