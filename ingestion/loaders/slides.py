"""The slides of a deck as lines: one heading for a run of slides with one title, builds merged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ingestion.document import Line

NOTES = "Speaker notes:"

_CONTINUED = re.compile(
    r"\s*(?:[(\[]\s*(?:cont\w*\.?(?:['’]d)?|continued|\d+(?:\s*(?:/|of)\s*\d+)?|[ivx]{1,4})\s*[)\]]"
    r"|[,:–—-]\s*(?:cont(?:inued|['’]d|\.)|\d+/\d+)\s*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide; `title` may be empty, `section` names the section it begins."""

    number: int
    title: str
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    hidden: bool = False
    section: str = ""


def deck_lines(slides: Sequence[Slide]) -> Iterator[Line]:
    """A deck's lines, with a heading for each section and run of equal titles."""
    level = 2 if any(slide.section for slide in slides) else 1
    current = ""
    for slide in _without_builds(slides):
        if slide.section and not slide.hidden:
            yield from _heading(slide.section, 1, slide.number)
            current = _run_of(slide.section)
        if slide.hidden:
            yield from map(for_staff, _hidden_lines(slide))
        elif slide.title and _run_of(slide.title) != current:
            current = _run_of(slide.title)
            yield from _heading(slide.title, level, slide.number)
        yield from () if slide.hidden else slide.lines
        yield from _notes(slide)


def _heading(text: str, level: int, number: int) -> Iterator[Line]:
    """A heading, with a blank line that keeps it out of the first sentence below."""
    yield Line(text, level=level, page=number)
    yield Line("", page=number)


def for_staff(line: Line) -> Line:
    """The line as one that only staff may read, which is never a heading."""
    return replace(line, level=0, solution=True, closed=True, staff=True)


def _hidden_lines(slide: Slide) -> Iterator[Line]:
    yield Line(f"Hidden slide {slide.number}: {slide.title}".rstrip(": "), page=slide.number)
    yield from slide.lines


def _notes(slide: Slide) -> Iterator[Line]:
    for text in (NOTES, *slide.notes) if slide.notes else ():
        # The notes of a hidden slide are as hidden as the slide, whatever the course says of notes.
        yield replace(for_staff(Line(text, page=slide.number)), notes=not slide.hidden)


def _run_of(title: str) -> str:
    """What the titles of a run have in common: "Bayes' rule (cont.)" goes on with "Bayes' rule"."""
    return _CONTINUED.sub("", " ".join(title.split())).casefold()


def _without_builds(slides: Iterable[Slide]) -> Iterator[Slide]:
    """The slides without those of which the next one shows everything, under the same title."""
    waiting: Slide | None = None
    for slide in slides:
        if waiting and _builds(waiting, slide):
            notes = tuple(dict.fromkeys((*waiting.notes, *slide.notes)))
            slide = replace(slide, notes=notes, section=waiting.section or slide.section)
        elif waiting and _builds(slide, waiting) and not slide.section:
            waiting = replace(waiting, notes=tuple(dict.fromkeys((*waiting.notes, *slide.notes))))
            continue
        elif waiting:
            yield waiting
        waiting = slide
    if waiting:
        yield waiting


def _builds(slide: Slide, following: Slide) -> bool:
    if slide.hidden != following.hidden or slide.title != following.title or (slide.section and following.section):
        return False
    if not slide.title and not slide.lines:
        return False
    return _texts(slide) <= _texts(following)


def _texts(slide: Slide) -> set[str]:
    return {line.text.strip() for line in slide.lines}
