"""The YAML header of a page or notebook: settings, and what they say of dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

_HEADER = re.compile(
    r"\s*---[ \t]*\n(?=(?:\s*\#.*\n)*\s*[A-Za-z_][\w -]*:)((?:(?!---|\.\.\.).*\n){1,300}?)(?:---|\.\.\.)[ \t]*(?:\n|$)"
)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.*)$", re.MULTILINE)
_DATED = re.compile(
    r"\b(?:due|deadline|release[ds]?|available|assigned|out|exam|abgabe|entrega|points|(?:office|student) ?hours)\b",
    re.IGNORECASE,
)
"""Keys whose values readers want to know. A page's own `date` is when it was written."""
MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The title of a page, `body` below its header, and what the header says of dates, as lines of text."""

    title: str | None
    body: str
    dates: tuple[str, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """The header's title, if any, the dates in it, and the text after it."""
    match = _HEADER.match(text)
    if match is None:
        return FrontMatter(None, text)
    title = _TITLE.search(match[1])
    name = title[1].strip().strip("\"'") if title else None
    return FrontMatter(name, text[match.end() :], tuple(_dates(match[1])))


def _dates(header: str) -> Iterator[str]:
    if not _DATED.search(re.sub(r"[_-]", " ", header)):
        return
    try:
        content = yaml.load(header, Loader=yaml.BaseLoader)  # noqa: S506 (it makes strings of everything)
    except (yaml.YAMLError, RecursionError):
        return
    if isinstance(content, Mapping):
        yield from _dated(content, "")


def _dated(values: Mapping[Any, Any], above: str) -> Iterator[str]:
    for key, value in values.items():
        name = re.sub(r"[_-]+", " ", f"{above} {key}".strip())
        if isinstance(value, Mapping) and not above:
            yield from _dated(value, str(key))
        elif isinstance(value, (str, date)) and _DATED.search(name) and any(map(str.isdigit, str(value))):
            yield re.sub(r"\s+", " ", re.sub(r"<[^<>]*>", " ", f"{name.capitalize()}: {value}"))[:MAX_CHARS]
