"""What the course's staff said of works, events and people, in sentences: the text that answers cite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from core.course.calendar import NONE, CalendarEntry, EntryKind, name_of
from core.facts import FactKind
from retrievers.works import EXAMS, plain_line, works_in

LOCALE = "en_GB"
HOLDS = "This was set by the course's staff and holds over what other documents say."
_MARKUP = re.compile(r"([`*_<>#|$~])")
"""Characters that Markdown, formulas or HTML give a meaning inside of a line."""
_OPENING = re.compile(r"(?<=\])(?=[(\[])|(?<=\\)(?=[^\w\s])")
"""Between the signs that make a link or begin a formula, which cannot be escaped."""


@dataclass(frozen=True, slots=True)
class SetDate:
    """A sentence on one thing that an entry says."""

    kind: FactKind | None
    """None for points."""
    sentence: str


def sentences_of(key: str, entry: CalendarEntry) -> Sequence[SetDate]:
    """What an entry says; nothing where it only takes something back."""
    return [] if entry.removed else list(_sentences(name_of(key, entry), entry))


def text_of(sentences: Sequence[SetDate]) -> str:
    """A block of the document of set dates."""
    return "\n".join([*(said.sentence for said in sentences), HOLDS])


def blocks_of(entries: Mapping[str, CalendarEntry]) -> dict[str, tuple[str, str]]:
    """The name and text of each entry's block, by its key."""
    said = {key: (name_of(key, entry), sentences_of(key, entry)) for key, entry in entries.items()}
    return {key: (plain(name), text_of(sentences)) for key, (name, sentences) in said.items() if sentences}


def plain(text: str) -> str:
    """Text of which Markdown makes nothing but text."""
    return _MARKUP.sub(r"\\\1", _OPENING.sub(" ", text))


def _sentences(name: str, entry: CalendarEntry) -> Iterator[SetDate]:
    match entry.kind:
        case EntryKind.WORK:
            yield from _of_work(name, entry)
        case EntryKind.STAFF:
            role = f" ({plain(entry.role)})" if entry.role else ""
            yield SetDate(
                FactKind.HOURS, f"Office hours of {plain(name)}{role}: {plain(entry.hours)}{_place(entry.place)}."
            )
        case _:
            end = f" to {entry.until}" if entry.until else ""
            when = f"{_day(entry.at or '')}{end}{_place(entry.place)}"
            yield SetDate(FactKind(entry.kind.value), f"Date of {plain(name)}: {when}.")


def _of_work(name: str, entry: CalendarEntry) -> Iterator[SetDate]:
    is_sat = any(EXAMS & {*work.kind.split()} for work in works_in(plain_line(name)))
    if entry.due:
        yield SetDate(FactKind.DUE, f"{'Date' if is_sat else 'Due date'} of {plain(name)}: {_day(entry.due)}.")
    if entry.released:
        yield SetDate(FactKind.RELEASED, f"Day on which {plain(name)} is handed out: {_day(entry.released)}.")
    if entry.points is not None:
        yield SetDate(None, f"Points for {plain(name)}: {entry.points:g}.")


def _day(day: str) -> str:
    from babel.dates import format_date

    if day == NONE:
        return "there is none"
    on, _, clock = day.partition(" ")
    written: str = format_date(date.fromisoformat(on), "EEEE, d MMMM y", locale=LOCALE)
    return f"{written}, {clock}" if clock else written


def _place(place: str) -> str:
    return f", {plain(place)}" if place else ""
