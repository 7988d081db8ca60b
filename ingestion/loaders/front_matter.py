"""The YAML header of a page or notebook: settings, dates, texts of a page that has no other; comments of Liquid."""

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
_COMMENT = re.compile(r"\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}", re.DOTALL)
_NO_WORDS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^<>]*>|\W+")
MAX_EMPTY_CHARS = 30
"""Letters and digits of a page that has no text of its own."""
MAX_LINES, MAX_DEPTH = 500, 4
_MIN_WORDS = 3
"""Of a value that is no setting."""
MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The title of a page, `body` below its header without comments of Liquid, and what the header says of dates, as
    lines of text.
    """

    title: str | None
    body: str
    dates: tuple[str, ...] = ()
    header: str = ""

    @property
    def text(self) -> str:
        """The body; of a page that has no other text, below the texts of its header."""
        is_empty = len(_NO_WORDS.sub("", self.body)) <= MAX_EMPTY_CHARS
        return "\n".join([*_texts(self.header), self.body]) if is_empty else self.body


def read_front_matter(text: str) -> FrontMatter:
    """The header's title, if any, the dates in it, and the text after it."""
    match = _HEADER.match(text)
    if match is None:
        return FrontMatter(None, _without_comments(text))
    title = _TITLE.search(match[1])
    name = title[1].strip().strip("\"'") if title else None
    return FrontMatter(name, _without_comments(text[match.end() :]), tuple(_dates(match[1])), match[1])


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text) if "comment" in text else text


def _texts(header: str) -> Iterator[str]:
    """The values of a header that are text, each under its name."""
    try:
        values = yaml.safe_load(header)
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    left = MAX_LINES
    for key, value in values.items() if isinstance(values, dict) else ():
        lines = [line for line, _ in zip(_lines(value), range(left), strict=False)]
        left -= len(lines)
        if key != "title" and any(len(line.split()) >= _MIN_WORDS for line in lines):
            yield from (f"## {str(key).replace('_', ' ').capitalize()}", "", *lines, "")


def _lines(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, list) and depth < MAX_DEPTH:
        for item in value:
            yield from (f"{'  ' * depth}- {line.lstrip('- ')}" for line in _lines(item, depth + 1))
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        parts = ((name, " ".join(_lines(item, depth + 1))) for name, item in value.items())
        yield "; ".join(f"{name}: {text}" for name, text in parts)
    elif not isinstance(value, (list, dict)) and value is not None:
        yield from str(value).split("\n")


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
