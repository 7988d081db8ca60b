"""A text as a person reads it, with the way back to where each of its characters was written (decision 0055)."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from core.text.lookalikes import Lookalikes

_ESCAPE = re.compile(
    r"&(?:amp;)*(?P<entity>#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z]{2,31};)"
    r"|(?P<percent>(?:%(?:25)*[0-9a-fA-F]{2})+)"
    r"|\\(?:u|x)\{?(?P<code>[0-9a-fA-F]{2,6})\}?"
    r"|(?P<unseen></?(?:b|em|i|s|span|strong|u|wbr) ?/?>)"
)
"""Characters by their number or name, and tags that show nothing themselves."""
_MAY_ESCAPE = re.compile(r"[&%\\<]")
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Co", "Cn", "Cs"})


@dataclass(frozen=True, slots=True)
class NormalText:
    """A reading of a text: compatible forms, accents and escapes resolved, unseen characters left out, case kept.

    `starts` and `ends` say for each character where what it stands for begins and ends in the text that was written.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where in the written text the characters `start` to before `end` of this one stand."""
        return self.starts[start], self.ends[end - 1]


class _OwnScript(dict[int, str]):
    """A table of characters without accents, and of nothing for unseen ones; letters of other scripts stay."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFKD", chr(code))
        self[code] = plain = "".join(part for part in parts if unicodedata.category(part) not in _UNSEEN)
        return plain


class _AsLatin(dict[int, str]):
    """The same, with letters of other scripts that look like Latin ones as those."""

    def __missing__(self, code: int) -> str:
        plain = _OWN_SCRIPT[code]
        self[code] = latin = plain if plain.isascii() else "".join(_latin(char) for char in plain)
        return latin


_OWN_SCRIPT, _AS_LATIN, _LOOKALIKES = _OwnScript(), _AsLatin(), Lookalikes()


def _latin(char: str) -> str:
    """The Latin letter that a character looks like, the same for capital and small where only one of them does."""
    letter = _LOOKALIKES[ord(char)]
    return letter if letter != char else "".join(_LOOKALIKES[ord(small)] for small in char.casefold())


def readings(text: str) -> tuple[NormalText, ...]:
    """What a text may be read as: with look-alikes as Latin letters first, and in its own scripts if that differs.

    Linear time.
    """
    if text.isascii() and not _MAY_ESCAPE.search(text):
        return (NormalText(text, range(len(text)), range(1, len(text) + 1)),)
    pieces = list(_pieces(text))
    latin = _read(pieces, _AS_LATIN)
    if text.isascii():
        return (latin,)
    own = _read(pieces, _OWN_SCRIPT)
    return (latin,) if own.text == latin.text else (latin, own)


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The characters of a text with their start and end, escapes resolved."""
    last = 0
    for match in _ESCAPE.finditer(text):
        shown = _resolve(match)
        if shown == match[0]:
            continue
        yield from ((char, position, position + 1) for position, char in enumerate(text[last : match.start()], last))
        yield shown, match.start(), match.end()
        last = match.end()
    yield from ((char, position, position + 1) for position, char in enumerate(text[last:], last))


def _resolve(match: re.Match[str]) -> str:
    if match["entity"]:
        return html.unescape(f"&{match['entity']}")
    if match["percent"]:
        shown = unquote(match["percent"].replace("%25", "%").replace("%25", "%"), errors="replace")
        return match[0] if "\ufffd" in shown else shown
    if match["code"]:
        number = int(match["code"], 16)
        return chr(number) if number <= 0x10FFFF else match[0]
    return ""


def _read(pieces: Sequence[tuple[str, int, int]], table: dict[int, str]) -> NormalText:
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for shown, start, end in pieces:
        read = "".join(table[ord(char)] for char in shown) if not shown.isascii() else shown
        chars.append(read)
        starts += [start] * len(read)
        ends += [end] * len(read)
    return NormalText("".join(chars), starts, ends)
