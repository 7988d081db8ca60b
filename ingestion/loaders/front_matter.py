"""The YAML header of a page or notebook: settings, and the text of pages that have no other; Liquid's comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

_HEADER = re.compile(
    r"\s*---[ \t]*\n(?=(?:\s*\#.*\n)*\s*[A-Za-z_][\w -]*:)((?:(?!---|\.\.\.).*\n){1,300}?)(?:---|\.\.\.)[ \t]*(?:\n|$)"
)
_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.*)$", re.MULTILINE)


_COMMENT = re.compile(r"\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}", re.DOTALL)
_NO_WORDS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^<>]*>|\W+")
MAX_EMPTY_CHARS = 30
"""Letters and digits of a page that has no text of its own."""
MAX_LINES, MAX_DEPTH = 500, 4
_MIN_WORDS = 3
"""Of a value that is no setting."""


def page_text(text: str) -> tuple[str | None, str]:
    """A page's title and its Markdown or HTML, without comments of Liquid; of an empty page, its header's texts."""
    title, body = without_front_matter(text)
    if "comment" in body:
        body = _COMMENT.sub(lambda match: "\n" * match.group().count("\n"), body)
    if len(body) < len(text) and len(_NO_WORDS.sub("", body)) <= MAX_EMPTY_CHARS:
        header = _HEADER.match(text)
        body = "\n".join([*_texts(header[1] if header else ""), body])
    return title, body


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


def without_front_matter(text: str) -> tuple[str | None, str]:
    """The header's title, if any, and the text after it."""
    match = _HEADER.match(text)
    if match is None:
        return None, text
    title = _TITLE.search(match[1])
    return (title[1].strip().strip("\"'") if title else None), text[match.end() :]
