"""Turns a written answer into one whose every citation was checked against its passage."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import islice

from core.types import Answer, Citation, Passage, Status, Visibility
from pipelines.leaks import public_titles
from pipelines.tasks import WrittenAnswer

_REFERENCE = re.compile(r"(?:[ \t]|(?<![\w)\]\\`]))\[(\d+(?:\s*,\s*\d+)*)\](?![\w(\[])")
_CODE = re.compile(r"(```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`)", re.DOTALL)
_WORD = re.compile(r"\w+")
_MIN_QUOTE_WORDS, _MIN_LETTERS = 2, 8
"""Words that a quote has, or letters if it is a single one: with less it says nothing."""
_MAX_DIGITS = 4
"""Of a reference's number; a longer one is a reference to no passage."""


def verified(written: WrittenAnswer, passages: Sequence[Passage]) -> Answer:
    """The answer with its references renumbered from 1 in order of appearance, and each quote looked up.

    References to passages that do not exist are removed; brackets in code are code. A quote that does not stand in its
    passage is dropped; the citation then names the place only and counts as not verified. Words of staff-only passages
    are looked up, but never repeated, nor are headings made of them.
    """
    quotes = {quoted.passage: quoted.quote for quoted in reversed(written.citations)}
    prose = "".join(part for part in _CODE.split(written.answer) if not _CODE.fullmatch(part))
    mentioned = [n for group in _REFERENCE.findall(prose) for n in _numbers(group)]
    order = [n for n in dict.fromkeys([*mentioned, *quotes]) if 1 <= n <= len(passages)]
    numbers = {n: position for position, n in enumerate(order, 1)}
    return Answer(
        status=Status(written.status),
        markdown="".join(
            part if _CODE.fullmatch(part) else _REFERENCE.sub(lambda match: _renumbered(match, numbers), part)
            for part in _CODE.split(written.answer)
        ).strip(),
        citations=tuple(_citation(numbers[n], passages[n - 1], quotes.get(n, ""), passages) for n in order),
        confidence=min(max(written.confidence, 0.0), 1.0),
    )


def find_quote(quote: str, text: str) -> str | None:
    """The words of `text` that the quote repeats, letter case and what stands between words aside; none if absent."""
    words = _WORD.findall(html.unescape(quote))
    if len(words) < _MIN_QUOTE_WORDS and sum(map(len, words)) < _MIN_LETTERS:
        return None
    spelt = _spelt(_WORD.findall(text))
    start = spelt.find(_spelt(words))
    if start < 0:
        return None
    first = spelt.count(" ", 0, start)
    places = list(islice(_WORD.finditer(text), first, first + len(words)))
    return text[places[0].start() : places[-1].end()]


def _spelt(words: Sequence[str]) -> str:
    """Words in small letters, each between two spaces."""
    return f" {' '.join(words)} ".casefold()


def _numbers(group: str) -> list[int]:
    return [int(part) for part in map(str.strip, group.split(",")) if len(part) <= _MAX_DIGITS]


def _renumbered(match: re.Match[str], numbers: dict[int, int]) -> str:
    kept = [numbers[n] for n in _numbers(match[1]) if n in numbers]
    space = match[0][0] if match[0][0] in " \t" else ""
    return space + "".join(f"[{n}]" for n in kept) if kept else ""


def _citation(number: int, passage: Passage, quote: str, passages: Sequence[Passage]) -> Citation:
    found = find_quote(quote, passage.text)
    return Citation(
        number=number,
        block_id=passage.block_id,
        document=passage.document,
        title=passage.title,
        source=passage.source,
        visibility=passage.visibility,
        heading_path=public_titles(passage.heading_path, passage, passages),
        page=passage.position.first_page,
        quote=found if found and passage.visibility is Visibility.STUDENT else "",
        verified=found is not None,
    )
