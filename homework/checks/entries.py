"""Equalities of vectors, matrices and intervals, entry by entry: `(1, 2) + 2(3, 0) = (7, 2)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from homework.answers import number_in, plain
from homework.submission import Submission

MAX_LINE_CHARS = 1_000
RELATIVE = 0.006

_MATRIX = re.compile(r"\\begin\{([pbvBV]?matrix)\}(.*?)\\end\{\1\}", re.DOTALL)
_RELATION = re.compile(r"(?:=|≈|\\approx)(?![^()\[\]]*[)\]])")
"""An equals sign outside of brackets."""
_TERM = re.compile(r"\s*([-+−]?)\s*([^-+−()\[\]]*?)\s*[*·×]?\s*[(\[]([^()\[\]]*,[^()\[\]]*)[)\]]\s*")


def unequal_entries(submission: Submission) -> Iterator[tuple[int, str, str]]:
    """The line, and both sides, of each equality whose sides have as many entries but not the same."""
    for number, line in enumerate(submission.lines, 1):
        if len(line) > MAX_LINE_CHARS or "=" not in line:
            continue
        for left, right in pairwise(_RELATION.split(_with_brackets(line))):
            first, second = _entries(left), _entries(right)
            if first and second and len(first) == len(second) and not _are_equal(first, second):
                yield number, left.strip(" $*"), right.strip(" $*")


def _with_brackets(line: str) -> str:
    """The line with matrices as lists, row after row."""
    return plain(_MATRIX.sub(lambda found: "[" + re.sub(r"&|\\\\", ",", found[2].strip().strip("\\")) + "]", line))


def _entries(side: str) -> list[float] | None:
    """The entries of a sum of vectors, each with a factor; None where the side is anything else."""
    total: list[float] | None = None
    side, position = side.strip(" $*.;"), 0
    while position < len(side):
        term = _TERM.match(side, position)
        if term is None or (total is not None and not term[1]):
            return None
        factor = number_in(term[2]) if term[2] else 1.0
        cells = [number_in(cell) for cell in term[3].split(",")]
        if factor is None or any(cell is None for cell in cells):
            return None
        sign = -1.0 if term[1] in ("-", "−") else 1.0
        scaled = [sign * factor * cell for cell in cells if cell is not None]
        if total is not None and len(total) != len(scaled):
            return None
        total = [a + b for a, b in zip(total, scaled, strict=True)] if total else scaled
        position = term.end()
    return total


def _are_equal(first: list[float], second: list[float]) -> bool:
    size = max(map(abs, (*first, *second)))
    return all(
        abs(a - b) <= max(RELATIVE * max(abs(a), abs(b)), 1e-9 * size) for a, b in zip(first, second, strict=True)
    )
