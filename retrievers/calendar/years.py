"""The year of days that are written without one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.facts import Moment, day_of

_YEAR = re.compile(r"(?<!\d)(20\d\d)(?!\d)")
_SEASON = (
    r"(?:fall|autumn|winter|spring|summer|michaelmas|hilary|trinity|lent|easter|term|semester|trimester|quarter|ws|ss|"
    r"sose|wise|wintersemester|sommersemester|herbst|otoño|primavera|verano|invierno|automne|hiver|printemps|herfst|voorjaar)"
)
_SHORT = r"(?:fall|autumn|winter|spring|summer|fa|wi|sp|su|ws|ss|sose|wise)"
_TERMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_SEASON}[\s,_-]*(20\d\d)(?!\d)",
        rf"\b{_SHORT}\s?['’]?(\d\d)(?![\d-])",
        rf"(?<!\d)(20\d\d)[\s,_-]*{_SEASON}\b",
    )
)
"""A year beside the word for a term, the surest order first: "CS 2010 Spring 2026" is of 2026."""
_NAMED, _WRITTEN, _NOW = 20.0, 3.0, 0.5
"""What a year in the course's title, beside the dates, and the current one add; a weekday that fits adds 1."""
MAX_AGE = 15
"""Years since a course whose material is still read."""
AUTUMN, EARLY = 8, 3
"""First month of a term that goes on in the next year, and the first month that cannot be its end."""


@dataclass(frozen=True, slots=True)
class Term:
    """The year in which a course is held; in the one after, too, if it begins in autumn. None if nothing tells."""

    year: int | None
    begins_in_autumn: bool = False
    is_named: bool = False
    """Whether the course's title names it."""

    def place(self, moment: Moment) -> Moment:
        """The moment with its year, where that is known."""
        if moment.year or self.year is None:
            return moment
        year = self.year + (self.begins_in_autumn and moment.month < EARLY)
        return moment.model_copy(update={"year": year}) if day_of(moment, year) else moment

    def is_of_another(self, moment: Moment) -> bool:
        """Whether a moment with a year is of another run of the course."""
        if moment.year is None or self.year is None:
            return False
        return moment.year not in (self.year, self.year + self.begins_in_autumn)

    def fits(self, moment: Moment) -> bool:
        """Whether its weekday is that of its day; true where one of them is not known."""
        placed = self.place(moment)
        return placed.weekday is None or placed.on is None or placed.on.weekday() == placed.weekday

    def confirms(self, moment: Moment) -> bool:
        """Whether its weekday tells that it is of this term, of which the title is sure."""
        return self.is_named and moment.weekday is not None and self.fits(moment)


UNKNOWN_TERM = Term(None)


def term_of(title: str, moments: Iterable[Moment], today: date) -> Term:
    """The term that a course's title and the dates in its material speak for."""
    moments = list(moments)
    months = Counter(moment.month for moment in moments)
    autumn = sum(count for month, count in months.items() if month >= AUTUMN)
    begins_in_autumn = autumn > len(moments) / 2
    named = [int(year) for year in _YEAR.findall(title)]
    written = Counter(
        moment.year - (begins_in_autumn and moment.month < EARLY) for moment in moments if moment.year is not None
    )
    stated = _stated(title, today)
    if stated and written[stated] >= sum(written.values()) / 2:
        return Term(stated, begins_in_autumn, is_named=True)
    best: tuple[float, int] | None = None
    for year in {*named, *written, *range(today.year - 2, today.year + 2)}:
        term = Term(year, begins_in_autumn)
        dated = [moment for moment in moments if moment.year is None and moment.weekday is not None]
        fitting = sum(1 if term.fits(moment) else -1 for moment in dated)
        score = fitting + _NAMED * (year in named) + _WRITTEN * min(written[year], 3) + _NOW * (year == today.year)
        if best is None or score > best[0]:
            best = (score, year)
    return Term(best[1] if best and best[0] > 0 else None, begins_in_autumn)


def _stated(title: str, today: date) -> int | None:
    """The year that a title gives beside the word for a term."""
    for pattern in _TERMS:
        years = {int(year) if len(year) == 4 else 2000 + int(year) for year in pattern.findall(title)}
        if len(years) == 1 and today.year - MAX_AGE <= min(years) <= today.year + 2:
            return years.pop()
    return None
