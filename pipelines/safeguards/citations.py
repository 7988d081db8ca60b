"""Turns a written answer into one whose every citation was checked against its passage."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from core.text.spans import split_at_verbatim, widened
from core.types import Answer, Citation, Passage, Status, Visibility
from pipelines.tasks import WrittenAnswer

_REFERENCE = re.compile(r"(?:[ \t]|(?<![\w)\]\\`]))((?:\[\d+(?:\s*,\s*\d+)*\])+)(?![\w(\[])")
"""One or more in a row: [1], [1, 2], [1][2]."""
_WORD = re.compile(r"\w+")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[\.{3}\]|\[…\])\s*")
_MIN_QUOTE_WORDS, _MIN_LETTERS = 2, 8
"""Words that a quote has, or letters if it is a single one: with less it says nothing."""
STAFF_ONLY = "The answer rests on staff-only material, which is not cited. Check that it may be told to students."
PARTLY_STAFF_ONLY = (
    "Part of the answer rests on staff-only material, which is not cited. Check that it may be told to students."
)
_MAX_DIGITS = 4
"""Of a reference's number; a longer one is a reference to no passage."""


def verified(written: WrittenAnswer, passages: Sequence[Passage], markdown: str | None = None) -> Answer:
    """The answer with its references renumbered from 1 in order of appearance, and each quote looked up.

    `markdown` is what was made of its text, if anything. References to passages that do not exist are removed; brackets
    in code and formulas stay. A quote that does not stand in its passage is dropped; the citation then names only the
    location and counts as not verified. Staff-only passages are not cited, since documents and headings of theirs are
    names that students must not see; a warning says that the answer rests on some.
    """
    quotes: defaultdict[int, list[str]] = defaultdict(list)
    for quoted in written.citations:
        quotes[quoted.passage].append(quoted.quote)
    parts = list(split_at_verbatim(written.answer if markdown is None else markdown))
    cited = [n for n in dict.fromkeys([*_mentioned(parts), *quotes]) if 1 <= n <= len(passages)]
    order = [n for n in cited if passages[n - 1].visibility is Visibility.STUDENT]
    numbers = {n: position for position, n in enumerate(order, 1)}
    return Answer(
        status=Status(written.status),
        markdown="".join(
            part if is_verbatim else _REFERENCE.sub(lambda match: _renumbered(match, numbers), part)
            for part, is_verbatim in parts
        ).strip(),
        citations=tuple(_citation(numbers[n], passages[n - 1], quotes[n]) for n in order),
        confidence=min(max(written.confidence, 0.0), 1.0),
        warnings=_warnings(written.status, passages, len(order), len(cited) - len(order)),
    )


def find_quote(quote: str, text: str) -> str | None:
    """The words of `text` that the quote repeats, letter case and what stands between words aside; none if absent.

    Code, a formula or brackets at an edge come as a whole.
    """
    words = _WORD.findall(html.unescape(quote))
    if len(words) < _MIN_QUOTE_WORDS and sum(map(len, words)) < _MIN_LETTERS:
        return None
    spelt = _spelt(_WORD.findall(text))
    start = spelt.find(_spelt(words))
    if start < 0:
        return None
    first = spelt.count(" ", 0, start)
    places = list(islice(_WORD.finditer(text), first, first + len(words)))
    start, end = widened(text, places[0].start(), places[-1].end())
    return text[start:end]


def numbers_in(markdown: str) -> frozenset[int]:
    """The numbers of the references in a text; brackets in code and formulas are none."""
    return frozenset(_mentioned(split_at_verbatim(markdown))) if "[" in markdown else frozenset()


def quote_parts(quote: str) -> list[str]:
    """A quote, cut where it says that it leaves something out."""
    return [part for part in _ELLIPSIS.split(quote) if part]


def _mentioned(parts: Iterable[tuple[str, bool]]) -> list[int]:
    prose = "".join(part for part, is_verbatim in parts if not is_verbatim)
    return [n for group in _REFERENCE.findall(prose) for n in _numbers(group)]


def _spelt(words: Sequence[str]) -> str:
    """Words in small letters, each between two spaces."""
    return f" {' '.join(words)} ".casefold()


def _numbers(group: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", group) if len(number) <= _MAX_DIGITS]


def _renumbered(match: re.Match[str], numbers: dict[int, int]) -> str:
    kept = [numbers[n] for n in _numbers(match[1]) if n in numbers]
    space = match[0][0] if match[0][0] in " \t" else ""
    return space + "".join(f"[{n}]" for n in kept) if kept else ""


def _warnings(status: str, passages: Sequence[Passage], cited: int, left_out: int) -> tuple[str, ...]:
    """Whether the answer rests on staff-only passages, of which `left_out` were referred to."""
    if status != Status.ANSWERED or not passages:
        return ()
    if cited and left_out:
        return (PARTLY_STAFF_ONLY,)
    rests_on_staff_only = left_out or all(passage.visibility is Visibility.STAFF for passage in passages)
    return (STAFF_ONLY,) if not cited and rests_on_staff_only else ()


def _citation(number: int, passage: Passage, quotes: Sequence[str]) -> Citation:
    """With the first of the quotes that stands in the passage."""
    parts = (part for quote in quotes for part in quote_parts(quote))
    found = next((one for part in parts if (one := find_quote(part, passage.text))), None)
    return Citation(
        number=number,
        block_id=passage.block_id,
        document=passage.document,
        title=passage.title,
        source=passage.source,
        visibility=passage.visibility,
        heading_path=passage.heading_path,
        page=passage.position.first_page,
        time=passage.position.time,
        quote=found or "",
        verified=found is not None,
    )
