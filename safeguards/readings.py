"""What a text says: its letters and words as a person reads them, and what it says where it is encoded."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from core.text.normal import readings

MIN_ENCODED = 16
"""Digits of Base64 or hexadecimal that are decoded."""
MAX_KEPT = 4096
"""Texts whose forms are kept in memory; the same passages are found again and again."""
_UNSHOWN = re.compile(
    r"\[\^?\d+\](?:\([^()\n]*\))?|(?<=\])(?:\([^()\n]*\)|\[[^\[\]\n]*\])|<[^<>\n]*>|\\[A-Za-z]+"
    r"|^[ \t]*(?:[-+*]|\d+[.)])[ \t]",
    re.MULTILINE,
)
"""References, targets of links, tags, LaTeX commands, and the marks of lists."""
_NO_LETTERS = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]+")
_ENCODED = re.compile(rf"[A-Za-z0-9+/_-]{{{MIN_ENCODED},}}={{0,2}}")
_BETWEEN_CHUNKS = re.compile(r"[\s`\"']+")


class PartText(NamedTuple):
    """What a part of an answer says in one reading, and the number of the part."""

    number: int
    text: str


def seen(text: str) -> str:
    """The text with look-alikes as Latin letters, escapes resolved, and nothing unseen; letter case stays."""
    return readings(text)[0].text


def letters(text: str) -> str:
    """The letters and digits of a text that was `seen`, in small letters."""
    return _NO_LETTERS.sub("", text).casefold()


def shown(text: str) -> str:
    """The text without what a page does not show of its Markdown."""
    return _UNSHOWN.sub(" ", text)


@lru_cache(maxsize=MAX_KEPT)
def letter_forms(text: str) -> tuple[str, ...]:
    """The letters of what the page shows, and of the text with its markup if these differ."""
    written = seen(text)
    return tuple(dict.fromkeys((letters(shown(written)), letters(written))))


@lru_cache(maxsize=MAX_KEPT)
def words(text: str) -> tuple[str, ...]:
    """The words of what the page shows, in small letters."""
    return tuple(_WORD.findall(shown(seen(text)).casefold()))


def decoded(text: str) -> str:
    """What a text says in Base64 or hexadecimal digits, in a row or in chunks; empty if nothing."""
    written = seen(text)
    runs = dict.fromkeys([*_ENCODED.findall(written), *_ENCODED.findall(_BETWEEN_CHUNKS.sub("", written))])
    return "\n".join(filter(None, map(_decoded_run, runs)))


def all_readings(parts: Sequence[str]) -> Iterator[list[PartText]]:
    """The parts as they are written, and decoded if there is something to decode."""
    yield [PartText(number, part) for number, part in enumerate(parts)]
    hidden = [PartText(number, said) for number, part in enumerate(parts) if (said := decoded(part))]
    if hidden:
        yield hidden


class LetterRow:
    """The letters of parts in a row: whatever stands between them, and wherever a part ends."""

    def __init__(self, parts: Sequence[PartText]) -> None:
        self.letters = "".join(part.text for part in parts)
        self._numbers = [part.number for part in parts]
        self._ends = list(accumulate(len(part.text) for part in parts))

    def parts(self, start: int, end: int) -> set[int]:
        """Numbers of the parts with letters from `start` to before `end`."""
        first, last = (bisect_right(self._ends, position) for position in (start, end - 1))
        return set(self._numbers[first : last + 1])


def letter_rows(parts: Sequence[PartText]) -> Iterator[LetterRow]:
    """The letters as the page shows them and as they are written; each as they are, by rot13, and backwards."""
    forms = [letter_forms(part.text) for part in parts]
    for form in range(max(map(len, forms), default=0)):
        row = [PartText(part.number, own[min(form, len(own) - 1)]) for part, own in zip(parts, forms, strict=True)]
        yield LetterRow(row)
        yield LetterRow([PartText(number, codecs.encode(text, "rot13")) for number, text in row])
        yield LetterRow([PartText(number, text[::-1]) for number, text in reversed(row)])


def _decoded_run(run: str) -> str:
    """What the digits say, if that can be read."""
    digits = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        data = bytes.fromhex(digits) if _is_hexadecimal(digits) else base64.b64decode(digits + "=" * (-len(digits) % 4))
        text = data.decode()
    except (binascii.Error, ValueError):
        return ""
    return text if all(char.isprintable() or char.isspace() for char in text) else ""


def _is_hexadecimal(digits: str) -> bool:
    return len(digits) % 2 == 0 and set(digits) <= set("0123456789abcdefABCDEF")
