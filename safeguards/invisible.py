"""Drops the characters that nobody sees: they can carry a text, or hide one from a check."""

from __future__ import annotations

import regex

_UNSEEN = r"\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Co}\p{Cn}\p{Cs}"
_SEEN = r"\n\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Of those categories, what is seen or sets lines apart: marks that Arabic, Syriac and Kaithi write around numbers."""
_ANY = regex.compile(rf"(?V1)[[{_UNSEEN}]--[{_SEEN}]]")
_JOINED = "|".join(
    rf"\p{{scx={script}}}"
    for script in (
        "Arabic", "Syriac", "Nko", "Mongolian", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil",
        "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan",
    )
)  # fmt: skip
"""Scripts in which a joiner between two letters, or its absence, changes what is written."""
_EMOJI = r"\p{Extended_Pictographic}"
_NEEDED = regex.compile(
    rf"""(?<=(?:{_JOINED}))[\u200c\u200d](?=(?:{_JOINED}))
    | (?<={_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff]?)\u200d(?={_EMOJI})
    | (?<={_EMOJI})\ufe0f
    | (?<=[0-9\#*])\ufe0f(?=\u20e3)
    | (?<=\p{{scx=Mongolian}})[\u180b-\u180f]""",
    regex.VERBOSE,
)
_ENDS = regex.compile(r"\r\n?|[\v\f\x85]")


def without_invisible(text: str) -> str:
    """The text without invisible, private and unassigned characters; accents and what a script or emoji needs stay."""
    if not _ANY.search("".join(set(text))):
        return text
    text = _ENDS.sub("\n", text)
    return _ANY.sub(lambda match: match[0] if _NEEDED.match(text, match.start()) else "", text)
