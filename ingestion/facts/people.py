"""Staff with their office hours, as they are written in lines and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.text.dates import times_in, weekdays_in
from ingestion.facts.cues import OFFICE_HOURS, ROLE

MAX_ABOVE = 6
"""Lines above office hours in which the name may stand."""
MAX_QUOTE_LINES = 8
_NAME = re.compile(
    r"(?:(?:Dr|Prof|Professor|Mr|Ms|Mrs)\.?\s+){0,2}[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ]\.)?(?:\s+(?:van|de|der|von|del|la|da)){0,2}"
    r"(?:\s+[A-ZÀ-Þ][\w'’-]+){1,2}|(?:Dr|Prof|Professor|Mr|Ms|Mrs)\.?\s+[A-ZÀ-Þ][\w'’-]+"
)
_NO_NAMES = re.compile(
    r"\b(?:Office|Hours?|Student|Teaching|Assistants?|Course|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Hall|"
    r"Building|Room|Zoom|Email|Phone|Instructors?|Staff|Lecture|Lab|Section|Library|Center|Centre|By|Contact|Class|"
    r"Information|University|College|Department|Website|Syllabus|Meeting|Times?|Location|Fall|Spring|Summer|Winter)\b"
)
_LETTERS = re.compile(r"(?<![^\W_])(?:M|T|W|R|F|Mo|Tu|We|Th|Fr|Sa|Su){1,5}(?![^\W_])")
"""Weekdays in letters: MWF, TTh."""
_HOURS = re.compile(r"\d{1,2}(?:[:.]\d\d)?\s*[-–—]\s*\d{1,2}")
_MARKS = re.compile(r"<[^<>]{0,300}>|\]\([^()\s]{0,500}\)|[*_`\[\]#|]+")


@dataclass(frozen=True, slots=True)
class StaffPerson:
    name: str
    role: str
    hours: str
    place: str
    quote: str


def person_in_row(cells: Mapping[str, str], quote: str) -> StaffPerson | None:
    """The person of a row of a table with office hours."""
    name, hours = _plain(cells.get("person", "")), _plain(cells.get("hours", ""))
    if not name or not _says_when(hours):
        return None
    return StaffPerson(name, _plain(cells.get("role", "")), hours, _plain(cells.get("place", "")), quote)


def people_in(lines: Sequence[str], heading: str) -> Iterator[StaffPerson]:
    """The people of lines that say when someone has office hours. `heading` is that above them."""
    is_section = bool(OFFICE_HOURS.search(heading))
    is_staff = is_section or bool(ROLE.search(heading)) or "staff" in heading.casefold()
    for number, line in enumerate(lines):
        plain = _plain(line)
        cue = OFFICE_HOURS.search(plain)
        if not (cue or is_section or (is_staff and number and _NAME.search(_plain(lines[number - 1])))):
            continue
        first = number
        if not _says_when(plain):
            continue
        own = plain[: cue.start()] if cue else plain
        name = _name(own) or (_name(plain) if is_section else "")
        while not name and first > max(0, number - MAX_ABOVE):
            first -= 1
            name = _name(_plain(lines[first]))
        role = ROLE.search(" ".join(map(_plain, lines[first : number + 1])))
        hours = plain[cue.end() :].strip(" :–—-,.") if cue and _says_when(plain[cue.end() :]) else plain
        quote = "\n".join(lines[first : number + 1]) if name else line
        yield StaffPerson(
            name, role.group() if role else "", hours.removeprefix(name).strip(" :–—-,"), "", quote.strip()
        )


def _says_when(text: str) -> bool:
    is_on_day = bool(weekdays_in(text) or _LETTERS.search(text))
    return is_on_day and bool(times_in(text) or _HOURS.search(text))


def _name(text: str) -> str:
    """The first words that look like a name, without roles, places and weekdays."""
    rest = _NO_NAMES.sub(",", ROLE.sub(",", text))
    names = (match.group() for match in _NAME.finditer(rest))
    return next((name for name in names if not any(part.isupper() for part in name.split())), "")


def _plain(line: str) -> str:
    return re.sub(r"\s+", " ", _MARKS.sub(" ", line)).strip(" -+•·\t")
