r"""Mathematics in Markdown: TeX between `$`, `$$`, `\(` and `\)`, `\[` and `\]`, or in an environment such as `align`.

What counts as a formula follows pandoc: a dollar that is a price or a shell variable is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_FORMULA_CHARS = 4_000
"""A longer text between two marks is no formula."""
MAX_FORMULA_LINES = 150
"""The same for one that stands in whole lines."""
_CLOSING = {"$$": "$$", "$": "$", r"\(": r"\)", r"\[": r"\]"}
_DISPLAYED = ("$$", r"\[")
_ENVIRONMENT = re.compile(r"\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|flalign)\*?)\}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BEHIND_A_DOLLAR = re.compile(r"(?:s|st|nd|rd|th)\b|(?![0-9A-Za-z_])")
"""`$k$th` and `$x$s` are formulas, `$HOME:$PATH` and `$5-$6` are not."""


@dataclass(frozen=True, slots=True)
class Formula:
    """TeX without its marks; `end` is the position behind the closing mark."""

    tex: str
    end: int
    is_displayed: bool


def formula_at(text: str, start: int) -> Formula | None:
    """The formula that begins at `start`, inside one paragraph; None where none does."""
    opening = next((mark for mark in _CLOSING if text.startswith(mark, start)), None)
    if opening is None or (opening == "$" and not _may_open(text, start)):
        return None
    first = start + len(opening)
    last = _position_of(_CLOSING[opening], text, first)
    if last < 0 or not (tex := text[first:last]).strip() or _BLANK_LINE.search(tex):
        return None
    if opening == "$" and (tex[-1].isspace() or not _BEHIND_A_DOLLAR.match(text, last + 1)):
        return None
    return Formula(tex, last + len(opening), is_displayed=opening in _DISPLAYED)


def displayed_in(lines: Iterable[str]) -> tuple[str, int] | None:
    """TeX and number of lines of a formula that stands in whole lines, from the first one on; None where none does.

    An environment comes with its `begin` and `end`.
    """
    inner: list[str] = []
    size = 0
    opening = closing = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if number == 1:
            opening, closing = _marks(text)
            text = text[len(opening) :]
        is_long = size > MAX_FORMULA_CHARS or number > MAX_FORMULA_LINES
        if not closing or (not text and number > 1) or is_long:
            return None
        if closing in text:
            before, _, after = text.partition(closing)
            tex = "\n".join([*inner, before]).strip()
            return (_whole(tex, opening, closing), number) if tex and not after else None
        inner.append(text)
        size += len(text)
    return None


def _marks(line: str) -> tuple[str, str]:
    """What opens and closes the formula that begins with a line; empty where none does."""
    for opening in _DISPLAYED:
        if line.startswith(opening):
            return opening, _CLOSING[opening]
    environment = _ENVIRONMENT.match(line)
    return (environment[0], f"\\end{{{environment[1]}}}") if environment else ("", "")


def _whole(tex: str, opening: str, closing: str) -> str:
    return tex if opening in _DISPLAYED else f"{opening}{tex}{closing}"


def _may_open(text: str, start: int) -> bool:
    """False for a dollar behind a letter or digit, and before white space."""
    before, behind = text[max(start - 1, 0) : start], text[start + 1 : start + 2]
    return not (before.isascii() and (before.isalnum() or before in ("_", "$"))) and not behind.isspace()


def _position_of(closing: str, text: str, start: int) -> int:
    """Where the closing mark stands, which no backslash escapes; -1 where it does not."""
    end = start + MAX_FORMULA_CHARS
    position = text.find(closing, start, end)
    while position > 0 and closing.startswith("$") and _is_escaped(text, position):
        position = text.find(closing, position + 1, end)
    return position


def _is_escaped(text: str, position: int) -> bool:
    backslashes = 0
    while position > backslashes and text[position - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1
