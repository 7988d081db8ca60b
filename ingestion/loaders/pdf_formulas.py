"""Formulas that the text layer of a PDF file has destroyed are named by their page instead of quoted as garbage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from ingestion.document import Line
from ingestion.numbering import read_number

_UNKNOWN = "\ufffd\ue000-\uf8ff\U000f0000-\U000ffffd"
_BAD = re.compile(rf"[{_UNKNOWN}]")
_BULLET = re.compile(r"^\s*[\ue000-\uf8ff](?=\s|[^\W\d_]{2}|$)\s*")
"""Word's bullets are of a font of symbols, whose characters have no meaning elsewhere."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_MATHS = re.compile(r"[=+−×÷·±≤≥≈∼∝∞∂∇∫∑∏√∈∉⊂∀∃→⇒^_<>|∥⟨⟩⊤\u0370-\u03ff₀-₎\U0001d400-\U0001d7ff]|[\u2200-\u22ff]")
_TALL = re.compile(rf"[{_UNKNOWN}∑∏∫√⎛-⎭]")
"""Signs of formulas that stand over several lines: large brackets without a letter, sums, roots."""
_NAMES = frozenset("sin cos tan log exp lim max min arg det dim ker sup inf mod var cov".split())  # noqa: SIM905
MAX_PIECE_CHARS = 24
"""Of a line that is a piece of a formula."""
MIN_PIECES = 3


def with_marked_formulas(lines: Sequence[Line]) -> list[Line]:
    """The lines, destroyed formulas replaced by a remark with their page."""
    marked: list[Line] = []
    for is_piece, group in groupby(lines, key=lambda line: (line.page, _is_piece(line))):
        run = list(group)
        marked += [_as_remark(run)] if is_piece[1] and _is_destroyed(run) else map(_with_marked_pieces, run)
    return marked


def _is_piece(line: Line) -> bool:
    """Whether a line is short, has no words, and is no numbered item."""
    text = line.text.strip()
    words = [word for word in _WORD.findall(_BAD.sub(" ", text)) if word.casefold() not in _NAMES]
    return 0 < len(text) <= MAX_PIECE_CHARS and not words and not read_number(text)


def _is_destroyed(run: Sequence[Line]) -> bool:
    if not any(_TALL.search(line.text) for line in run):
        return False
    maths = sum(bool(_MATHS.search(line.text) or _BAD.search(line.text)) for line in run)
    return len(run) >= MIN_PIECES and 2 * maths >= len(run)


def _as_remark(run: Sequence[Line]) -> Line:
    boxes = list(_boxes(run))
    box = (
        (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
        if boxes
        else None
    )
    return replace(run[0], text=_remark(run[0]), bold=False, box=box)


def _boxes(run: Sequence[Line]) -> Iterator[tuple[float, float, float, float]]:
    return (line.box for line in run if line.box)


def _with_marked_pieces(line: Line) -> Line:
    """A line whose words with unknown characters are a remark."""
    if not _BAD.search(line.text):
        return line
    words = _BULLET.sub("- ", line.text).split()
    parts: list[str] = []
    for is_bad, group in groupby(words, key=lambda word: bool(_BAD.search(word))):
        parts += [_remark(line)] if is_bad else group
    return replace(line, text=" ".join(parts))


def _remark(line: Line) -> str:
    return f"[formula, see page {line.page}]"
