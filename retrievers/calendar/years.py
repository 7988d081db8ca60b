"""The year of days that are written without one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from core.facts import Moment, day_of

_YEAR = re.compile(r"(?<!\d)(20\d\d)(?!\d)")
_NAMED, _WRITTEN, _NOW = 20.0, 3.0, 0.5
"""What a year in the course's title, beside the dates, and the current one add; a weekday that fits adds 1."""
AUTUMN, EARLY = 8, 3
"""First month of a term that goes on in the next year, and the first month that cannot be its end."""


@dataclass(frozen=True, slots=True)
class Term:
    """The year in which a course is held; in the one after, too, if it begins in autumn. None if nothing tells."""

    year: int | None
    begins_in_autumn: bool = False

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
    best: tuple[float, int] | None = None
    for year in {*named, *written, *range(today.year - 2, today.year + 2)}:
        term = Term(year, begins_in_autumn)
        dated = [moment for moment in moments if moment.year is None and moment.weekday is not None]
        fitting = sum(1 if term.fits(moment) else -1 for moment in dated)
        score = fitting + _NAMED * (year in named) + _WRITTEN * min(written[year], 3) + _NOW * (year == today.year)
        if best is None or score > best[0]:
            best = (score, year)
    return Term(best[1] if best and best[0] > 0 else None, begins_in_autumn)
