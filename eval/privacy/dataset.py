"""Texts in which personal data is marked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import regex

from core.privacy.names import KnownPerson
from core.privacy.spans import Kind, Span
from core.types import Value
from eval.datasets.jsonl import read_unique, validated

UNLISTED = "unlisted"
"""A name that is in no list; nothing looks for such."""
_MARKED = regex.compile(rf"\[\[({'|'.join([*Kind, UNLISTED])}):(.*?)\]\]", regex.DOTALL)


class PrivacyItem(Value):
    """A text in which personal data is marked, as in `I am [[name:Ada Byron]]`, with what the request would name."""

    id: str
    text: str
    people: tuple[KnownPerson, ...] = ()
    student_id: str | None = None

    @property
    def contents(self) -> tuple[str, ...]:
        return (self.model_dump_json(),)


@dataclass(frozen=True)
class Marked:
    """The text without its marks, what is marked in it, and where names are that nobody listed."""

    text: str
    spans: tuple[Span, ...]
    unlisted: tuple[tuple[int, int], ...]


def read_privacy_items(path: Path) -> list[PrivacyItem]:
    """Items of a JSONL file. Raises `InvalidInput` naming the line."""
    return [validated(row, PrivacyItem) for row in read_unique(path, "text").values()]


def marked(text: str) -> Marked:
    """The marks of a text, and the text without them."""
    plain, end = "", 0
    spans: list[Span] = []
    unlisted: list[tuple[int, int]] = []
    for mark in _MARKED.finditer(text):
        plain += text[end : mark.start()]
        start, end = len(plain), mark.end()
        plain += mark[2]
        if mark[1] == UNLISTED:
            unlisted.append((start, len(plain)))
        else:
            spans.append(Span(start, len(plain), Kind(mark[1]), mark[2]))
    return Marked(plain + text[end:], tuple(spans), tuple(unlisted))
