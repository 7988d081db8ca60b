"""Lines of text, fit to be stored and printed."""

from __future__ import annotations

import re

_LINE_BREAK = re.compile(r"\r\n?")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def with_line_feeds(text: str) -> str:
    """The text with the line breaks of Windows and old Macs replaced by line feeds."""
    return _LINE_BREAK.sub("\n", text) if "\r" in text else text


def tidy(line: str) -> str:
    """One line without what a database or a terminal chokes on: control characters, stray surrogates, line breaks."""
    if line.isascii() and line.isprintable():
        return line.rstrip()
    return _SURROGATE.sub("\ufffd", _UNPRINTABLE.sub(" ", line)).rstrip()


def tidy_text(text: str) -> str:
    """A text with each of its lines made `tidy`, without white space around it."""
    return "\n".join(tidy(line) for line in with_line_feeds(text).split("\n")).strip()
