"""Readings of a text part by part: each function gives the part as it reads once its escapes are undone.

A part in which there is nothing to undo is given back as it is.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import unquote_plus

Rewrite = Callable[[str], str]

_CODE_POINT = re.compile(
    r"\\u\{([0-9a-f]{1,6})\}|\\U([0-9a-f]{8})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|U\+([0-9a-f]{4,6})[ ,;]?", re.IGNORECASE
)
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_OCTAL = re.compile(r"\\([0-3]?[0-7]{2})")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_BASE64_WORD = re.compile(
    r"(?<![\w+/=-])(?=[0-9]*[A-Za-z])(?=[\w+/-]*(?:[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9=]))"
    r"[A-Za-z0-9+/_-]{2,}={0,2}(?![\w+/=-])"
)
"""Words of letters alone in one case, with a capital or not, are words."""
_ANY_BASE64_WORD = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{2,}={0,2}(?![\w+/=-])")
MIN_BASE64_WORDS = 4
"""Words in Base64 from which the others may be in Base64 too, where they are most of a part's words."""
_BASE32_WORD = re.compile(r"(?<![\w=-])(?=[A-Za-z]*[2-7=])(?:[A-Z2-7]{2,}|[a-z2-7]{2,})={0,6}(?![\w=-])")
_BASE85_WORD = re.compile(r"\S{20,}")
MIN_JOINTS = 5
"""Hyphens or underscores in a row of words; terms such as "state-of-the-art" have fewer."""
_SLUG = re.compile(rf"(?<![^\s_-])(?:[^\s_-]+[_-]){{{MIN_JOINTS},}}[^\s_-]+")
_AROUND = "`\"'"
MAX_CODE_POINT = 0x10FFFF
_NUMBER = re.compile(r"(?<!\w)0(?:b([01]{1,8})|o([0-7]{1,3}))(?!\w)", re.IGNORECASE)
_TURNED = "ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ"
_ANY_TURNED = re.compile(f"[{_TURNED}]")
_UPSIDE_DOWN = str.maketrans(f"{_TURNED}qpudbn", "acefghijkmrtvwybdnpqu")
"""Some letters upside down are other letters."""
_LEET = re.compile(r"(?<=[A-Za-z])[013457@$]|[013457@$](?=[A-Za-z])")
_WITH_LETTERS = re.compile(r"[\w@$]*[A-Za-z][\w@$]*")
_LEET_READINGS = tuple(str.maketrans("01345789@$", f"o{one}eastbgas") for one in "li")
MIN_LEET = 4
"""Digits beside letters, from which digits may stand for letters."""


def percent_escapes(part: str) -> str:
    """`%74%68e+sum`, as in URLs."""
    return unquote_plus(part) if _PERCENT.search(part) else part


def code_escapes(part: str) -> str:
    r"""`\u0074`, `\x74`, `\164` and U+0074, as in strings of programs."""
    part = _CODE_POINT.sub(_code_point, part)
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), part)


def entities(part: str) -> str:
    """`&#116;` and `&#x74;`, as in HTML; those within others too."""
    return html.unescape(part) if "&" in part else part


def tag_characters(part: str) -> str:
    """Tag characters, which nobody sees, as the ASCII that they stand for."""
    return _TAGS.sub(lambda match: "".join(chr(ord(char) - 0xE0000) for char in match[0]), part)


def base64_words(part: str) -> str:
    """Each word in Base64 of its own; where most words are, also those that look like words."""
    found = len(_BASE64_WORD.findall(part))
    pattern = _ANY_BASE64_WORD if found >= MIN_BASE64_WORDS and 2 * found > len(part.split()) else _BASE64_WORD
    return pattern.sub(lambda match: _word(match[0], _from_base64), part) if found else part


def base32_words(part: str) -> str:
    """Each word in Base32 of its own."""
    return _BASE32_WORD.sub(lambda match: _word(match[0], _from_base32), part)


def base85_words(part: str) -> str:
    """Each long word in Ascii85 or in the Base85 of git."""
    return _BASE85_WORD.sub(lambda match: _from_base85(match[0].strip(_AROUND)) or match[0], part)


def slugs(part: str) -> str:
    """`words-of-a-sentence`, as in URLs and names of files."""
    if part.count("-") + part.count("_") < MIN_JOINTS:
        return part
    return _SLUG.sub(lambda match: re.sub("[-_]", " ", match[0]), part)


def number_literals(part: str) -> str:
    """`0b1110100` and `0o164`, as in programs, in decimal digits."""
    return _NUMBER.sub(lambda match: str(int(match[1], 2) if match[1] else int(match[2], 8)), part)


def upside_down(part: str) -> str:
    """Letters that look like others turned upside down."""
    return part.translate(_UPSIDE_DOWN) if _ANY_TURNED.search(part) else part


def leet_readings(text: str) -> Iterator[Rewrite]:
    """Ways to read the digits of a text as letters, which is to be done before a cipher is undone; 1 is l or i.

    All of them are letters, or those in words alone, as numbers stay.
    """
    if len(_LEET.findall(text)) >= MIN_LEET:
        for table in _LEET_READINGS:
            yield _translation(table)
            yield _in_words(table)


def rot13(part: str) -> str:
    """Letters moved by half the alphabet."""
    return codecs.encode(part, "rot13")


REWRITES: tuple[Rewrite, ...] = (
    percent_escapes, code_escapes, entities, slugs, tag_characters, number_literals, upside_down, base64_words,
    base32_words, base85_words,
)  # fmt: skip
"""What is undone in each layer, and gives a text that may hold another."""


def _translation(table: Mapping[int, int | str | None]) -> Rewrite:
    return lambda text: text.translate(table)


def _in_words(table: Mapping[int, int | str | None]) -> Rewrite:
    return lambda text: _WITH_LETTERS.sub(lambda match: match[0].translate(table), text)


def _code_point(match: re.Match[str]) -> str:
    code = int(next(filter(None, match.groups())), 16)
    return chr(code) if code <= MAX_CODE_POINT else match[0]


def _word(word: str, decode: Callable[[str], bytes]) -> str:
    """What the word says, or the word itself where it says nothing that a person reads."""
    try:
        text = decode(word.rstrip("=")).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return word
    return text if _can_be_read(text) else word


def _can_be_read(text: str) -> bool:
    return all(char.isprintable() or char.isspace() for char in text)


def _from_base64(word: str) -> bytes:
    return base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_" if {"-", "_"} & set(word) else None)


def _from_base85(word: str) -> str:
    """What the word says; empty where it says nothing that a person reads."""
    for decode in (base64.a85decode, base64.b85decode):
        try:
            text = decode(word.removeprefix("<~").removesuffix("~>")).decode()
        except ValueError:
            continue
        if _can_be_read(text):
            return text
    return ""


def _from_base32(word: str) -> bytes:
    return base64.b32decode(word + "=" * (-len(word) % 8), casefold=True)
