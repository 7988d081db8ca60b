"""Characters that are read as Latin letters or digits though they are others, and characters that are not seen."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from importlib.resources import files

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
        "вгзикмнптяьАВЕЗІЅЈКМНОРСТУХЬαβγδεζηικλμνοπρςστυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧӀӏ",
        "brзukmhntrbABEЗISJKMHOPCTYXbabydezniklmvonpsotuxwABEZHIKMNOPTYXIl",
        strict=True,
    )
)
"""Where a person sees another letter than the Unicode table has, which tells small capitals from small letters."""


class Lookalikes(dict[int, str]):
    """A table for `str.translate`, filled as characters are met: look-alikes become ASCII, unseen ones go.

    Folding says nothing of a text's language: it is done to every text that is compared.
    """

    def __missing__(self, code: int) -> str:
        self[code] = letter = _read_as(chr(code))
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
    return _COMMON.get(char) or _unicode_table().get(char) or _named(char) or char


def _named(char: str) -> str:
    match = _NAMED.fullmatch(unicodedata.name(char, ""))
    return match["letter"] if match else ""


@cache
def _unicode_table() -> dict[str, str]:
    """Unicode's confusables (UTS 39) that are read as one ASCII letter or digit. Holds nothing of any course."""
    table = json.loads(files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8"))
    readings = ((char, [one["c"] for one in others]) for char, others in table.items() if not char.isascii())
    ascii_readings = (
        (char, [c for c in others if len(c) == 1 and c.isascii() and c.isalnum()]) for char, others in readings
    )
    return {char: found[0] for char, found in ascii_readings if found}
