"""Joins separate statements of a text as Markdown wants them: sentences in a line, list items below each other."""

from __future__ import annotations

import re

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
_QUOTE = re.compile(r"[ \t]*>")
_ROW = re.compile(r"[ \t]*\|")
_BLOCK = re.compile(r"[ \t]*(?:#{1,6}[ \t]|```|~~~|\$\$|\\\[)")
_WIDE_ENDS = "。！？"
"""Sentence ends that no space follows."""


def separator(before: str, after: str) -> str:
    """What belongs between two statements in a row: nothing, a space, a line break or an empty line.

    A statement may ask for an empty line itself, by a line break at its edge.
    """
    if before.endswith("\n") or after.startswith("\n"):
        return "\n\n"
    last, first = before.rpartition("\n")[2], after.partition("\n")[0]
    if any(kind.match(last) and kind.match(first) for kind in (_ITEM, _QUOTE, _ROW)):
        return "\n"
    if any(_is_block(text) for text in (before, after)):
        return "\n\n"
    return "" if before.endswith(tuple(_WIDE_ENDS)) else " "


def _is_block(text: str) -> bool:
    return "\n" in text or any(kind.match(text) for kind in (_ITEM, _QUOTE, _ROW, _BLOCK))
