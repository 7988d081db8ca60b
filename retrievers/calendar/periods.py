"""Stretches of days that a question means: tomorrow, next week, the fourth week."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from core.facts import day_of
from core.text.dates import Mention, read_moments, weekdays_in
from core.text.number_words import with_digits
from retrievers.calendar.years import UNKNOWN_TERM, Term

_TODAY = r"today|tonight|heute|hoy|esta noche|aujourd'hui|ce soir|vandaag|vanavond|今天|今晚"
_TOMORROW = r"tomorrow|tmrw|morgen(?! früh)|mañana|demain|明天"
_AFTER_TOMORROW = r"day after tomorrow|übermorgen|pasado mañana|après-demain|overmorgen|后天"
_THIS = r"this week|diese woche|esta semana|cette semaine|deze week|这周|本周|这个星期"
_NEXT = (
    r"next week|nächste[nr]? woche|kommende[nr]? woche|la próxima semana|próxima semana|semana que viene|"
    r"la semaine prochaine|semaine prochaine|volgende week|下周|下星期"
)
_WEEKEND = r"(?:this |the )?weekend|wochenende|fin de semana|week-end|周末"
_NUMBERED = re.compile(r"\b(?:week|woche|semana|semaine)\s*#?(\d{1,2})\b|第\s*(\d{1,2})\s*周", re.IGNORECASE)
_IN_DAYS = re.compile(r"\bin (\d{1,2}) days?\b|\bin (\d{1,2}) tagen\b|\bdans (\d{1,2}) jours\b", re.IGNORECASE)
_FOLLOWING = re.compile(r"\bnext\b|\bnächste[nrm]?\b|\bpróximo\b|\bprochain\b|\bvolgende\b|下周", re.IGNORECASE)
_ON = re.compile(r"\b(?:on|by|for|until|before|after|from|am|bis|vom|el|le|op)\s*(?:the\s*)?\(?$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKS = re.compile(
    r"\?\s*$|^\W*(?:is|are|do|does|will|would|what|what's|whats|which|any|gibt|ist|haben|was|welche|hay|es|qué|cuál|"
    r"y a|est-ce|zijn|wat|welk)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, or the week of this number as the course counts."""

    first: date | None = None
    last: date | None = None
    week: int | None = None

    def covers(self, day: date | None, week: int | None) -> bool:
        if self.week is not None:
            return week == self.week
        return day is not None and self.first is not None and self.last is not None and self.first <= day <= self.last


def read_period(text: str, today: date, term: Term = UNKNOWN_TERM) -> Period | None:
    """The stretch of days that a question names; None for none. A week begins on Monday, and a day is of the term."""
    text = with_digits(text)
    if match := _NUMBERED.search(text):
        return Period(week=int(match[1] or match[2]))
    monday = today - timedelta(days=today.weekday())
    for words, first, last in (
        (_AFTER_TOMORROW, today + timedelta(days=2), today + timedelta(days=2)),
        (_NEXT, monday + timedelta(days=7), monday + timedelta(days=13)),
        (_THIS, monday, monday + timedelta(days=6)),
        (_WEEKEND, monday + timedelta(days=5), monday + timedelta(days=6)),
        (_TOMORROW, today + timedelta(days=1), today + timedelta(days=1)),
        (_TODAY, today, today),
    ):
        if re.search(rf"(?<!\w)(?:{words})(?!\w)" if words.isascii() else words, text, re.IGNORECASE):
            return Period(first, last)
    if match := _IN_DAYS.search(text):
        day = today + timedelta(days=int(next(filter(None, match.groups()))))
        return Period(day, day)
    if stretch := _day_asked_for(text, today, term):
        return stretch
    if not read_moments(text) and (days := weekdays_in(text)):
        day = today + timedelta(days=(days[0] - today.weekday()) % 7 or 7 * bool(_FOLLOWING.search(text)))
        return Period(day, day)
    return None


def _day_asked_for(text: str, today: date, term: Term) -> Period | None:
    """The day, or stretch of days, in a sentence that asks; other sentences tell what happened then."""
    for sentence in _SENTENCE.split(text):
        moments = [one for one in read_moments(sentence) if _is_day(sentence, one)]
        if len(moments) == 1 and _ASKS.search(sentence) and (first := _day_of(moments[0], today, term)):
            last = moments[0].last or first.day
            month = first if last >= first.day else first.replace(day=28) + timedelta(days=4)
            end = moments[0].moment.model_copy(update={"day": last, "month": month.month, "year": None})
            return Period(first, day_of(end, month.year) or first)
    return None


def _is_day(sentence: str, mention: Mention) -> bool:
    """Whether it is a day for certain: 3/10 may be a mark."""
    written = sentence[mention.start : mention.end]
    return any(map(str.isalpha, written)) or "-" in written or bool(_ON.search(sentence[: mention.start]))


def _day_of(mention: Mention, today: date, term: Term) -> date | None:
    """The day of a date: where neither it nor the term tells its year, that which is nearest to today."""
    if on := term.place(mention.moment).on:
        return on
    years = (today.year - 1, today.year, today.year + 1)
    days = filter(None, (day_of(mention.moment, year) for year in years))
    return min(days, key=lambda day: abs(day - today), default=None)
