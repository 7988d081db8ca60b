"""Leaves out of passages what the course's staff said does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.text.dates import read_moments
from core.types import Passage
from retrievers.calendar.model import Calendar, Overruled

LEFT_OUT = "…"


def without_overruled(passage: Passage, calendar: Calendar) -> Passage:
    """The passage, and its headings, without days and hours that do not hold; what stands beside them is kept."""
    if not calendar.overruled:
        return passage
    text = _without(passage.text, calendar.overruled.get(passage.block_id, ()))
    headings = tuple(_without(heading, calendar.overruled_days.get(heading, ())) for heading in passage.heading_path)
    if (text, headings) == (passage.text, passage.heading_path):
        return passage
    return passage.model_copy(update={"text": text, "heading_path": headings})


def _without(text: str, overruled: Iterable[Overruled]) -> str:
    """The text without the days in any of the words, which may overlap."""
    parts, rest = [], 0
    for start, end in sorted({span for said in overruled for span in _spans(text, said)}):
        if start >= rest:
            parts += [text[rest:start], LEFT_OUT]
        rest = max(rest, end)
    return "".join([*parts, text[rest:]])


def _spans(text: str, said: Overruled) -> Iterator[tuple[int, int]]:
    """Where the text gives the day in these words. Hours are left out as they stand."""
    spans = _day_spans(said) if said.day else [(0, len(said.words))]
    for match in re.finditer(re.escape(said.words), text):
        yield from ((match.start() + start, match.start() + end) for start, end in spans)


def _day_spans(said: Overruled) -> list[tuple[int, int]]:
    """Where the words give the day; all days in them where none is that one."""
    mentions = [mention for day_first in (False, True) for mention in read_moments(said.words, day_first=day_first)]
    of_day = [mention for mention in mentions if said.day and mention.moment.is_day_of(said.day)] or mentions
    return [(mention.start, mention.end) for mention in of_day]
