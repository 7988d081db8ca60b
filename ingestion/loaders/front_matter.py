"""The YAML header of a page or notebook: settings, not text."""

from __future__ import annotations

import re

_HEADER = re.compile(
    r"\s*---[ \t]*\n(?=(?:\s*\#.*\n)*\s*[A-Za-z_][\w -]*:)((?:(?!---|\.\.\.).*\n){1,300}?)(?:---|\.\.\.)[ \t]*(?:\n|$)"
)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.*)$", re.MULTILINE)


def without_front_matter(text: str) -> tuple[str | None, str]:
    """The header's title, if any, and the text after it."""
    match = _HEADER.match(text)
    if match is None:
        return None, text
    title = _TITLE.search(match[1])
    return (title[1].strip().strip("\"'") if title else None), text[match.end() :]
