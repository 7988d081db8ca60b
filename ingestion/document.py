"""What a loader makes of a file: lines with everything that header detection can use."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Literal


class LineKind(StrEnum):
    PROSE = "prose"
    CODE = "code"
    OUTPUT = "output"


Edge = Literal["", "begin", "end"]
"""Whether a solution begins or ends, as a comment says."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a document.

    `level` is a marked heading level from 1, else 0; `size` in points, else 0; `page` from 1; `box` is x0, y0, x1, y1
    in points. `solution` belongs to a solution, up to the next header unless `closed`. `edge` stands for a comment that
    begins or ends one. `stub` is a place for answers. `seconds` are begin and end in a recording. `staff` is for staff
    whatever the document is for, `notes` a speaker's.
    """

    text: str
    kind: LineKind = LineKind.PROSE
    level: int = 0
    size: float = 0.0
    bold: bool = False
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    cell: str | None = None
    solution: bool = False
    closed: bool = False
    edge: Edge = ""
    stub: bool = False
    seconds: tuple[float, float] | None = None
    staff: bool = False
    notes: bool = False


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One bookmark of a PDF. `level` counts from 1, `page` from 1."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Header:
    """A header at a line; a smaller `rank` stands higher, `label` is the question's number."""

    line: int
    rank: int
    title: str
    label: str | None = None


@dataclass(frozen=True)
class LoadedDocument:
    """A file's content. `text` joins the lines with line feeds; offsets into it are what positions store."""

    title: str
    lines: tuple[Line, ...]
    outline: tuple[OutlineEntry, ...] = ()
    complete: bool = False
    """True where the marked levels are all the structure there is, so that nothing is left to detect."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def marks_headings(self) -> bool:
        """True where the file itself says what its headings are: more than a title is marked, or nothing else is."""
        return self.complete or sum(1 for line in self.lines if line.level) > 1

    def with_notes_shown(self) -> LoadedDocument:
        lines = (replace(one, staff=False, solution=False, closed=False) if one.notes else one for one in self.lines)
        return replace(self, lines=tuple(lines))

    @cached_property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Start of each line in `text`, and the end."""
        return tuple(accumulate((len(line.text) + 1 for line in self.lines), initial=0))

    @property
    def pages(self) -> int:
        return max((line.page or 0 for line in self.lines), default=0)
