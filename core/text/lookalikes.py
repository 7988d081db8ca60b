"""Characters that are read as Latin letters or digits though they are others, and characters that are not seen."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from core.text.shapes import SHAPES

_UNSEEN = frozenset({"Mn", "Me", "Cf", "Cc", "Co", "Cn", "Cs"})
_KEPT_CONTROLS = frozenset("\0\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
"""White space, and the mark between parts of an answer."""
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_HYPHENS = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_NAMED = re.compile(
    r"(?:[A-Z ]+ )?(?:LATIN (?:SMALL|CAPITAL) LETTER|LATIN LETTER SMALL CAPITAL|REGIONAL INDICATOR SYMBOL LETTER) "
    r"(?:(?:DOTLESS|SCRIPT|TURNED|REVERSED|INVERTED|OPEN|LONG) )*(?P<letter>[A-Z])(?: WITH [A-Z ]+)?"
)
"""Names such as NEGATIVE CIRCLED LATIN CAPITAL LETTER A."""
_COMMON = dict(
    zip(
        "вгзикмнптяьАВЕЗІЅЈКМНОРСТУХЬαβγδεζηικλμνοπρςστυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧӀӏբ",
        "brзukmhntrbABEЗISJKMHOPCTYXbabydezniklmvonpsotuxwABEZHIKMNOPTYXllf",
        strict=True,
    )
)
"""Where a person sees another letter than the Unicode table has, which tells small capitals from small letters."""


class Lookalikes(dict[int, str]):
    """A table for `str.translate`, filled as characters are met: look-alikes become ASCII, unseen ones go.

    Folding says nothing of a text's language: it is done to every text that is compared. Letters with accents stay
    where `accents` are kept.
    """

    def __init__(self, *, accents: bool = False) -> None:
        super().__init__()
        self._has_accents = accents

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = letter = char if self._has_accents and unicodedata.decomposition(char) else _read_as(char)
        return letter


def _read_as(char: str) -> str:
    if char.isascii() or char in _KEPT_CONTROLS:
        return char
    if char in _FILLERS or unicodedata.category(char) in _UNSEEN:
        return ""
    if char in _HYPHENS:
        return "-"
    if (digit := unicodedata.digit(char, None)) is not None:
        return str(digit)
    return _COMMON.get(char) or SHAPES.get(char) or _unicode_table().get(char) or _letter_in_name(char) or char


def _letter_in_name(char: str) -> str:
    name = unicodedata.name(char, "")
    match = _NAMED.fullmatch(name)
    if not match:
        return ""
    return match["letter"].lower() if "SMALL" in name else match["letter"]


@cache
def _unicode_table() -> dict[str, str]:
    """Unicode's confusables (UTS 39) that are read as one ASCII letter or digit. Holds nothing of any course."""
    table = json.loads(files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8"))
    others = {char: [entry["c"] for entry in entries] for char, entries in table.items() if not char.isascii()}
    direct = {char: letter for char, entries in others.items() if (letter := _first_letter(entries))}
    indirect = {char: _first_letter([direct.get(c, "") for c in entries]) for char, entries in others.items()}
    return {char: letter for char, letter in (indirect | direct).items() if letter}


def _first_letter(readings: Iterable[str]) -> str:
    """The first one that is an ASCII letter or digit, marks such as a stroke through it aside."""
    bare = ("".join(c for c in reading if unicodedata.category(c) not in _UNSEEN) for reading in readings)
    return next((letter for letter in bare if len(letter) == 1 and letter.isascii() and letter.isalnum()), "")
