"""Looks up quotes in passages, and says why one was dropped."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from core.text.spans import widened
from core.types import DroppedQuote, Passage, Visibility

CACHED_TEXTS = 2_000
_WORD = re.compile(r"\w+")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…|\[\.{3}\]|\[…\])\s*")
_MIN_QUOTE_WORDS, _MIN_LETTERS = 2, 8
"""Words that a quote has, or letters if it is a single one: with less it says nothing."""


def find_quote(quote: str, text: str) -> str | None:
    """The words of `text` that the quote repeats, letter case and what stands between words aside; none if absent.

    Code, a formula or brackets at an edge come as a whole.
    """
    words = _WORD.findall(html.unescape(quote))
    if _is_too_short(words):
        return None
    spelt = _spelt_text(text)
    start = spelt.find(_spelt(words))
    if start < 0:
        return None
    first = spelt.count(" ", 0, start)
    matches = list(islice(_WORD.finditer(text), first, first + len(words)))
    start, end = widened(text, matches[0].start(), matches[-1].end())
    return text[start:end]


def quote_parts(quote: str) -> list[str]:
    """A quote, cut where it says that it leaves something out."""
    return [part for part in _ELLIPSIS.split(quote) if part]


def stands_in(quote: str, text: str) -> bool:
    """True if the text has the quote as it is, or where it leaves something out, each of its parts."""
    parts = quote_parts(quote)
    return bool(find_quote(quote, text) or (parts and all(find_quote(part, text) for part in parts)))


def why_dropped(quote: str, passage: Passage, shown: Sequence[Passage]) -> DroppedQuote | None:
    """Why a quote from a passage is dropped; None if one of its parts stands there.

    All passages that the writer was `shown` tell a quote with a wrong number from one that stands nowhere. Those for
    staff alone do not count: what they contain is not for the reader of the reason.
    """
    parts = quote_parts(quote)
    if not parts:
        return DroppedQuote.NOT_GIVEN
    parts = [quote, *parts]
    if any(find_quote(part, passage.text) for part in parts):
        return None
    if all(_is_too_short(_WORD.findall(html.unescape(part))) for part in parts):
        return DroppedQuote.TOO_SHORT
    readable = (one.text for one in shown if one.visibility is Visibility.STUDENT)
    is_elsewhere = any(find_quote(part, text) for text in readable for part in parts)
    return DroppedQuote.IN_ANOTHER_PASSAGE if is_elsewhere else DroppedQuote.NOT_FOUND


def _is_too_short(words: Sequence[str]) -> bool:
    return len(words) < _MIN_QUOTE_WORDS and sum(map(len, words)) < _MIN_LETTERS


@lru_cache(CACHED_TEXTS)
def _spelt_text(text: str) -> str:
    """The words of a passage, in which quotes are looked up again and again."""
    return _spelt(_WORD.findall(text))


def _spelt(words: Sequence[str]) -> str:
    """Words in small letters, each between two spaces."""
    return f" {' '.join(words)} ".casefold()
