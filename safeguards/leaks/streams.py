"""Finds encoded text that stands in an answer in one run or in chunks, whatever stands between the chunks.

Each function reads the digits of one encoding in a row, from every position at which a first byte may begin, and gives
for each the stretches of text that come out, and where they stood. Prose gives noise, in which there are few.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import NamedTuple

MIN_BYTES = 8
"""Of text in a row, for it to be no chance."""
MIN_DIGITS = 16
"""Digits of an encoding in a row, chunks counted together, that are read."""
MIN_BITS = 48
"""Zeros and ones in a row that are read."""
MAX_BYTE = 255
MIN_WORD = 2.5
"""Mean length of the words of prose; chunks of an encoding may be shorter."""


class Decoded(NamedTuple):
    """Text, and the range of the answer that it was decoded from."""

    text: str
    start: int
    end: int


class Digits:
    """The digits of an encoding in a text, whatever stands between them; where they stand is seldom asked."""

    def __init__(self, text: str, find: Callable[[], Sequence[int]]) -> None:
        self.text = text
        self._find = find

    @cached_property
    def positions(self) -> Sequence[int]:
        return self._find()

    @classmethod
    def of(cls, digits: re.Pattern[str], text: str, start: int = 0) -> Digits:
        """All digits that the text has; `start` is its own position."""
        runs = digits.finditer(text)
        return cls("".join(digits.findall(text)), lambda: [start + n for run in runs for n in range(*run.span())])

    def backwards(self) -> Digits:
        return Digits(self.text[::-1], lambda: self.positions[::-1])


_ROTATIONS = [
    str.maketrans(
        ascii_letters,
        ascii_lowercase[shift:] + ascii_lowercase[:shift] + ascii_uppercase[shift:] + ascii_uppercase[:shift],
    )
    for shift in range(26)
]
Stream = Callable[[str], Iterator[Sequence[Decoded]]]

_TEXT = re.compile(
    rb"(?:[\0\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){%d,}"
    % MIN_BYTES
)
_GAP = r"(?:(?!\n[ \t]*\n)[^0-9A-Za-z]){0,6}+"
"""What may stand between two chunks: no empty line."""
_PROSE = re.compile(r"(?<![\w+/=-])(?:[A-Za-z][a-z]*+[^\w+/=-]++){3,}+")
_LIST = re.compile(r"^[ \t>]*(?:\d+[.)])[ \t]", re.MULTILINE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+")
_BASE64_OF_URLS = re.compile(r"[A-Za-z0-9_-]+")
_BASE62 = re.compile(r"[A-Za-z0-9]+")
_PATH = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]++[/+]){3,}+[A-Za-z0-9]*+")
"""Chunks with a sign between them that may be a digit too."""
_CHUNK = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/]{3,}={0,2}(?![\w+/=-])")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[A-Za-z]?[a-z]+\d{1,3}=?")
"""A word, a number, or a name with a number."""
MIN_REPEATED = 3
"""Repetitions after which a word counts as a separator of chunks."""
_SEGMENT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
MIN_ROTATED, MAX_ROTATED = 24, 8192
"""Digits in chunks that are also read Caesar-shifted by any number, and with their cases swapped."""
MAX_SEGMENT = 2.5
"""Mean length of what stands in them between changes of case, or of letters and digits."""
MIN_ROTATED_BYTES = 16
"""Consecutive bytes of text that are not chance among so many readings."""
_FIRST_WORD = re.compile(r"^(?:[^\w\n]*\d+[.)][ \t])?[^\w\n]*(?P<word>[^\W_]+)", re.MULTILINE)
_LAST_WORD = re.compile(r"(?P<word>[^\W_]+)[^\w\n]*$", re.MULTILINE)
_ANY_WORD = re.compile(r"[^\W_]+")
MIN_LINES = 6
"""Lines whose first and last words are read on their own."""
_CELL = re.compile(r"(?<!\\)\|")
_ROWS = re.compile(r"(?:^[ \t>]*\|?[^\n|]*\|[^\n]*(?:\n|\Z)){2,}", re.MULTILINE)
_HEX_RUN = re.compile(rf"(?:(?:0?[xX])?[0-9A-Fa-f]++{_GAP})++")
_HEX_PREFIX = re.compile(r"0?[xX]")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_BASE32_RUNS = (re.compile(rf"(?:[A-Z2-7]++{_GAP})++"), re.compile(rf"(?:[a-z2-7]++{_GAP})++"))
_BASE32 = re.compile(r"[A-Za-z2-7]+")
_BASE32_TO_INT = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789ABCDEFGHIJKLMNOPQRSTUV")
_BITS_RUN = re.compile(rf"(?:[01]++{_GAP})++")
_BIT = re.compile(r"[01]+")
_NUMBERS = re.compile(r"(?<!\d)[0-9]{2,3}(?:[^0-9]{1,12}[0-9]{2,3}){11,}(?!\d)")


def base64_text(text: str) -> Iterator[Sequence[Decoded]]:
    """Base64 and its variant for URLs; forwards, backwards, and with its letters moved by rot13."""
    text = _PROSE.sub(_blank_prose, _blanked(_LIST, text))
    yield from _base64_row(Digits.of(_BASE64, text))
    if "-" in text or "_" in text:
        yield from _base64_row(Digits.of(_BASE64_OF_URLS, text))
    for path in _PATH.finditer(text):
        yield from _base64_row(Digits.of(_BASE62, path[0], path.start()))


def base64_chunks(text: str) -> Iterator[Sequence[Decoded]]:
    """Base64 in chunks with words between them; also with its letters moved by any number, and its cases swapped."""
    chunks = list(_CHUNK.finditer(text))
    unlike_words = [number for number, chunk in enumerate(chunks) if not _WORD.fullmatch(chunk[0])]
    if not unlike_words:
        return
    times = Counter(chunk[0] for chunk in chunks)
    between = chunks[unlike_words[0] : unlike_words[-1] + 1]
    rows = [chunks[number] for number in unlike_words], [one for one in between if times[one[0]] < MIN_REPEATED]
    for row in rows if rows[0] != rows[1] else rows[:1]:
        yield from _rotated(row)


def columns(text: str) -> Iterator[Sequence[Decoded]]:
    """The cells of a table column by column, which may hold chunks with something else beside them."""
    for table in _ROWS.finditer(text):
        cells = zip_longest(*(_CELL.split(row) for row in table[0].splitlines()), fillvalue="")
        yield [Decoded("\n".join(column), *table.span()) for column in cells]


def base32_text(text: str) -> Iterator[Sequence[Decoded]]:
    """Base32 in large or small letters."""
    text = _blanked(_LIST, text)
    upper, lower = _BASE32_RUNS
    for pattern, among in ((upper, text), (lower, text), (lower, _PROSE.sub(_blank_prose, text))):
        for run in pattern.finditer(among):
            if len(run[0]) >= MIN_DIGITS and re.search("[2-7]", run[0]):
                found = _in_run(_BASE32, run)
                yield from _aligned(found.text, found, "AAAAAAAA", _from_base32)


def hex_text(text: str) -> Iterator[Sequence[Decoded]]:
    r"""Pairs of hexadecimal digits, also as `0x41`, `\x41`, `%41` and `=41`."""
    text = _blanked(_LIST, text)
    for run in _HEX_RUN.finditer(text):
        if len(run[0]) >= MIN_DIGITS:
            found = _in_run(_HEX, run)
            yield from _aligned(found.text, found, "00", bytes.fromhex)


def binary_text(text: str) -> Iterator[Sequence[Decoded]]:
    """Bytes of zeros and ones."""
    text = _blanked(_LIST, text)
    for run in _BITS_RUN.finditer(text):
        if len(run[0]) >= MIN_BITS and len((found := _in_run(_BIT, run)).text) >= MIN_BITS:
            yield from _aligned(found.text, found, "00000000", _from_bits)


def number_codes(text: str) -> Iterator[Sequence[Decoded]]:
    """Characters by their numbers, in decimal or octal digits."""
    for run in _NUMBERS.finditer(text):
        numbers = re.findall("[0-9]+", run[0])
        yield [Decoded(_from_codes([int(number) for number in numbers]), *run.span())]
        if all(set(number) <= set("01234567") for number in numbers):
            yield [Decoded(_from_codes([int(number, 8) for number in numbers]), *run.span())]


STREAMS: tuple[Stream, ...] = (
    base64_text, base32_text, hex_text, binary_text, number_codes, columns, base64_chunks,
)  # fmt: skip
"""What is undone in each layer, and gives a text that may hold another."""


def margins(text: str) -> Iterator[Sequence[Decoded]]:
    """What `margin_spans` names."""
    for spans in margin_spans(text):
        yield [Decoded(f"{text[start:end]} ", start, end) for start, end in spans]


def margin_spans(text: str) -> Iterator[Sequence[tuple[int, int]]]:
    """The first letters of words; the first words of lines, their first letters, and the last words of lines."""
    yield [(match.start(), match.start() + 1) for match in _ANY_WORD.finditer(text)]
    first = [match.span("word") for match in _FIRST_WORD.finditer(text)]
    if len(first) >= MIN_LINES:
        yield first
        yield [(start, start + 1) for start, _ in first]
        yield [match.span("word") for match in _LAST_WORD.finditer(text)]


def _base64_row(found: Digits) -> Iterator[Sequence[Decoded]]:
    """What the digits say forwards and backwards, and by rot13."""
    for row in (found, found.backwards()):
        for one in (row.text, codecs.encode(row.text, "rot13")):
            yield from _aligned(one, row, "AAAA", _from_base64)


def _rotated(chunks: Sequence[re.Match[str]]) -> Iterator[Sequence[Decoded]]:
    row = Digits(
        "".join(chunk[0].rstrip("=") for chunk in chunks)[:MAX_ROTATED],
        lambda: [chunk.start() + n for chunk in chunks for n in range(len(chunk[0].rstrip("=")))],
    )
    if len(row.text) < MIN_ROTATED or len(row.text) > MAX_SEGMENT * len(_SEGMENT.findall(row.text)):
        return
    for one in (row.text, row.text.swapcase()):
        for table in _ROTATIONS:
            for stretches in _aligned(one.translate(table), row, "AAAA", _from_base64):
                if any(len(stretch.text) >= MIN_ROTATED_BYTES for stretch in stretches):
                    yield stretches


def _aligned(digits: str, row: Digits, zeros: str, decode: Callable[[str], bytes]) -> Iterator[Sequence[Decoded]]:
    """The text that comes out from each position at which a group of digits may begin.

    `zeros` is a group of zero bytes; it fills the last group, which may have lost its padding. `row` are the
    digits as they stand in the text.
    """
    if len(digits) < MIN_DIGITS:
        return
    for first in range(len(zeros)):
        filled = digits[first:] + zeros[: -(len(digits) - first) % len(zeros)]
        data = decode(filled)
        share = len(filled) / len(data) if data else 0.0
        found = [_decoded(match, row.positions, first, share) for match in _TEXT.finditer(data)]
        if found:
            yield found


def _decoded(match: re.Match[bytes], positions: Sequence[int], first: int, share: float) -> Decoded:
    """A stretch of bytes as text, with the range of its digits: so many to a byte, from the first one."""
    start, end = (
        positions[min(first + int(byte * share), len(positions) - 1)] for byte in (match.start(), match.end() - 1)
    )
    return Decoded(match[0].decode(errors="ignore").replace("\0", ""), min(start, end), max(start, end) + 1)


def _in_run(digits: re.Pattern[str], run: re.Match[str]) -> Digits:
    return Digits.of(digits, _blanked(_HEX_PREFIX, run[0]) if digits is _HEX else run[0], run.start())


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: " " * len(match[0]), text)


def _blank_prose(match: re.Match[str]) -> str:
    """Blanks for words in a row; what is too short on average for words may be chunks, and stays."""
    found = re.findall(r"[A-Za-z]+", match[0])
    return " " * len(match[0]) if sum(map(len, found)) >= MIN_WORD * len(found) else match[0]


def _from_codes(codes: Sequence[int]) -> str:
    """Numbers of bytes, or of characters where one is too large for a byte."""
    return bytes(codes).decode(errors="ignore") if max(codes) <= MAX_BYTE else "".join(map(chr, codes))


def _from_base64(digits: str) -> bytes:
    return base64.b64decode(digits.replace("-", "+").replace("_", "/"))


def _from_base32(digits: str) -> bytes:
    return int(digits.upper().translate(_BASE32_TO_INT), 32).to_bytes(len(digits) * 5 // 8)


def _from_bits(digits: str) -> bytes:
    return int(digits, 2).to_bytes(len(digits) // 8)
