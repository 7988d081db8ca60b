"""Slides of remark.js (xaringan): Markdown with properties of slides and classes around text, which no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.fences import is_fence
from core.text.spans import split_at_verbatim

_DECK = re.compile(r"\b(?:moon_reader|xaringan|remark(?:js)?\.create)\b")
_PROPERTY = re.compile(
    r"(?:name|class|count|template|layout|exclude|continued|background-(?:image|size|position|color))[ \t]*:.*"
)
_BREAK = re.compile(r"-{2,3}\s*")
_NOTES = "???"
_BRACKET = re.compile(r"(?<![\w\])])(?:\.[A-Za-z][\w-]*)+\[|\[|\]")


def is_deck(header: str) -> bool:
    """Whether the settings of an R Markdown file make slides of remark.js."""
    return bool(_DECK.search(header))


def as_markdown(source: str) -> str:
    """The Markdown of a deck without properties, breaks, presenter notes and classes (".hi[words]"); linear."""
    return "\n".join(_without_classes(slide) for slide in _slides(source))


def _slides(source: str) -> Iterator[str]:
    lines: list[str] = []
    is_code = is_notes = False
    is_start = True
    for line in source.split("\n"):
        is_code ^= is_fence(line)
        if not is_code and _BREAK.fullmatch(line):
            yield "\n".join([*lines, ""])
            lines, is_start, is_notes = [], True, False
        elif not is_code and line.strip() == _NOTES:
            is_notes = True
        elif not is_notes and not (is_start and (not line.strip() or _PROPERTY.fullmatch(line))):
            is_start = False
            lines.append(line)
    yield "\n".join(lines)


def _without_classes(slide: str) -> str:
    opened: list[bool] = []

    def bracket(match: re.Match[str]) -> str:
        if match.group() != "]":
            opened.append(match.group() != "[")
            return "" if opened[-1] else "["
        return "" if opened and opened.pop() else "]"

    return "".join(
        piece if is_verbatim else _BRACKET.sub(bracket, piece) for piece, is_verbatim in split_at_verbatim(slide)
    )
