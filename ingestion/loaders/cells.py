"""Notebook cells, and which of them are solutions: by tags, nbgrader, and extensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ingestion.document import Line, LineKind
from ingestion.naming.names import read_part, says_solution, says_staff
from ingestion.naming.words import SHORT_STAFF
from ingestion.numbering import read_number
from ingestion.solutions.marks import after_solution_marker, is_solution_marker
from ingestion.solutions.stubs import is_code_stub, is_placeholder, is_text_stub

_UNSEEN_TAGS = frozenset(("removecell", "hidden", "private"))
"""Cells that a book made of the notebook leaves out; those that it folds, students can see."""
_EXERCISES = ("solution", "solution2")
"""Where notebook extensions for exercises note a solution; in its first cell, which asks, with "_first" besides."""


def join_lines(value: object) -> object:
    """Notebooks store a text as itself or as a list of its lines."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "".join(value)
    return "" if value is None else value


Text = Annotated[str, BeforeValidator(join_lines)]


class Loose(BaseModel):
    model_config = ConfigDict(extra="ignore")


class CellOutput(Loose):
    """What running a code cell showed: a stream's text, data by MIME type, or an error."""

    output_type: str
    text: Text = ""
    data: dict[str, Any] = Field(default_factory=dict)
    ename: str = ""
    evalue: str = ""


class Cell(Loose):
    cell_type: str
    id: str | None = None
    source: Text = ""
    outputs: list[CellOutput] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_solution(self) -> bool:
        """Whether it is marked as a solution and holds more than a stub."""
        return self.is_marked and not self.is_stub

    @property
    def is_stub(self) -> bool:
        """Whether it holds no more than the place for an answer."""
        return is_code_stub(self.source) if self.cell_type == "code" else is_text_stub(self.source)

    @property
    def is_marked(self) -> bool:
        """Whether it is marked as a solution or as the place for one."""
        tags = self.metadata.get("tags")
        tagged = isinstance(tags, list) and any(map(_is_for_staff, map(str, tags)))
        hidden = any(self.metadata.get(key) and not self.metadata.get(f"{key}_first") for key in _EXERCISES)
        return tagged or hidden or self.is_marked_by_nbgrader

    @property
    def is_marked_by_nbgrader(self) -> bool:
        nbgrader = self.metadata.get("nbgrader")
        return isinstance(nbgrader, dict) and nbgrader.get("solution") is True


def _is_for_staff(tag: str) -> bool:
    evidence = read_part(tag)
    is_staff = evidence is not None and (evidence.word in SHORT_STAFF or says_staff(tag) or says_solution(tag))
    return is_staff or re.sub(r"[\W_]+", "", tag).casefold() in _UNSEEN_TAGS


def is_blank(cell: Cell) -> bool:
    """Whether a cell holds nothing: below a title, the place for an answer."""
    return not cell.source.strip() and not cell.outputs


def without_title_of_place(lines: Sequence[Line]) -> list[Line]:
    """The lines of a cell above a blank one, where a lone solution title begins nothing."""
    texts = [line.text for line in lines if line.text.strip()]
    is_title = len(texts) == 1 and is_solution_marker(texts[0]) and not after_solution_marker(texts[0])
    return [replace(line, stub=True) for line in lines] if is_title else list(lines)


def mark_solutions(cell: Cell, lines: Sequence[Line]) -> list[Line]:
    """The lines of a cell, with those of solutions marked; a solution ends with its cell."""
    if cell.is_solution:
        return [replace(line, solution=True, closed=not _goes_on(cell, lines)) for line in lines]
    if cell.is_marked:
        # A released notebook has no results here: they are those of the solution that stood in the stub's place.
        return [_result(line) if line.kind is LineKind.OUTPUT else replace(line, stub=True) for line in lines]
    if cell.cell_type == "markdown" and _asks_for_answer(lines):
        return [replace(line, stub=True) for line in lines]
    return list(lines)


def with_results(cells: Sequence[Sequence[Line]]) -> list[Line]:
    """All lines; output behind a solution in code is one too, up to the next question."""
    lines: list[Line] = []
    is_behind = False
    for line in (line for cell in cells for line in cell):
        if line.kind is LineKind.CODE and line.closed:
            is_behind = True
        elif line.kind is LineKind.PROSE and not line.closed and (line.level or read_number(line.text)):
            is_behind = False
        lines.append(_result(line) if is_behind and line.kind is LineKind.OUTPUT else line)
    return lines


def _result(line: Line) -> Line:
    return replace(line, solution=True, closed=True)


def _goes_on(cell: Cell, lines: Sequence[Line]) -> bool:
    """Whether a solution's title counts for the cells below; nbgrader marks each cell, so only a lone title does."""
    if cell.cell_type == "code":
        return False
    texts = [line.text for line in lines if line.text.strip()]
    return any(map(is_solution_marker, texts)) and (len(texts) == 1 or not cell.is_marked_by_nbgrader)


def _asks_for_answer(lines: Sequence[Line]) -> bool:
    texts = [line.text for line in lines if line.text.strip()]
    is_title = is_solution_marker(texts[0]) and not after_solution_marker(texts[0]) if texts else False
    return is_title and len(texts) == 2 and is_placeholder(texts[1])
