"""Turns text into the words that lexical search compares.

Made for course material: question numbers (1a, 3.2, Q2(b)), identifiers (`read_csv`, `np.array`: whole and in parts),
one-letter names (C, R, p), languages (C++, C#) and operators that stand alone (`**`, `!=`) survive, CJK text gives
pairs of neighbouring characters, and English words are reduced to their stem (Snowball).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import Stemmer

# Words that carry no meaning in prose and are no keyword of a programming language either ("for", "if", "not" are).
STOP_WORDS = frozenset(
    """
    a about am an are be been being but by can could did do does doing had has have having he her hers him his how i
    into it its just me my of on our ours she should so some such than that the their theirs them then there these they
    this those to too very was we were what when where which who whom whose why will would you your yours
    """.split()  # noqa: SIM905
)

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_ACCENT = re.compile(r"[\u0300-\u036f]")
_CONTRACTION = re.compile(r"(?<=\w)['\u2019](?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
_TOKEN = re.compile(
    rf"""
      (?P<cjk>[{_CJK}]+)
    | (?P<language>(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w))
    | (?P<operator>(?<![^\s`(\[{{])(?!--|\.\.|\*\*\*|===)[-+*/%=<>!&|^~:?@\\]{{2,3}}(?![^\s`)\]}},;.?]))
    | (?P<question>(?<!\w)[Qq]?\d{{1,3}}(?:\.?[A-Za-z]|\.?\ ?\([A-Za-z]\))(?!\w))
    | (?P<number>(?<!\w)\d+(?:\.\d+)*(?!\w))
    | (?P<letter>(?<!\w)A(?!\w|['\u2019]|\s+\w))
    | (?P<name>[^\W{_CJK}]+(?:\.[^\W{_CJK}]+)*)
    """,
    re.VERBOSE,
)
_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)(?!\d*\.\d)")
_PART = re.compile(r"[^\W\d_]+|\d+")
_STEMMED = re.compile(r"[a-z]{3,}")


def tokenize(text: str) -> list[str]:
    """The text's tokens, in order and with repetitions. Time is linear in the length of the text."""
    stemmer = Stemmer.Stemmer("english")  # Not safe to share between threads, and cheap to make.
    return [stemmer.stemWord(token) if _STEMMED.fullmatch(token) else token for token in _tokens(_plain(text))]


def _plain(text: str) -> str:
    """One spelling per letter: compatibility forms unified, accents and contracted endings ('s, n't's t) gone."""
    decomposed = unicodedata.normalize("NFKD", _CONTRACTION.sub("", text))
    return unicodedata.normalize("NFKC", _ACCENT.sub("", decomposed))


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        found = match.group().casefold()
        match match.lastgroup:
            case "cjk":
                yield from _pairs(found)
            case "question":
                yield re.sub(r"[^\da-z]", "", found).removeprefix("q")
            case "name":
                yield from _named(found)
            case "number":
                yield _LEADING_ZEROS.sub("", found)
            case _:
                yield found


def _pairs(run: str) -> Iterator[str]:
    """Neighbouring characters two by two: CJK has no spaces, and its words are mostly that long."""
    if len(run) == 1:
        yield run
    yield from (run[start : start + 2] for start in range(len(run) - 1))


def _named(found: str) -> Iterator[str]:
    """A word; or an identifier, whole and in parts (`hw03.pdf`: hw3.pdf, hw3, hw, 3, pdf)."""
    name = _LEADING_ZEROS.sub("", found.strip("_"))
    pieces = name.split(".")
    if len(pieces) > 1:
        yield name
    for piece in pieces:
        parts = _PART.findall(piece)
        if len(parts) > 1:
            yield piece
        yield from (part for part in parts if part not in STOP_WORDS)
