"""Titles that are set over several lines, as in PDFs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingestion.document import Line
from ingestion.numbering import read_number

_GAP = 0.4
"""White space between the lines of one title, in its size."""
_SAME_SIZE = 0.2
_BEGINS_AGAIN = re.compile(
    r"(?:Due|Release[ds]?|Deadline|Name|Instructor|Prof|Dr|Spring|Summer|Fall|Autumn|Winter|Part|Section|Problem|Question"
    r"|Exercise|Discussion|Homework|Lab|Solutions?)\b|\d"
)
"""What is no continuation of the title above it."""


def end_of_title(lines: Sequence[Line], first: int) -> int:
    """The last line of the title at `first`: same size and weight, close together."""
    last = first
    while last + 1 < len(lines) and _goes_on(lines[last], lines[last + 1]):
        last += 1
    return last


def title_from_lines(lines: Sequence[Line], first: int) -> str:
    """The title that begins at `first`, in one line."""
    return " ".join(line.text.strip() for line in lines[first : end_of_title(lines, first) + 1])


def _goes_on(line: Line, below: Line) -> bool:
    if not (line.box and below.box and line.page == below.page and abs(line.size - below.size) < _SAME_SIZE):
        return False
    text = below.text.strip()
    if not text or _BEGINS_AGAIN.match(text) or read_number(text):
        return False
    gap = below.box[1] - line.box[3]
    return line.bold == below.bold and -line.size < gap < _GAP * line.size
