"""Readings of an answer in which encodings are undone, layer by layer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from safeguards.leaks.ciphers import REWRITES, leet_readings, rot13
from safeguards.leaks.letters import BREAK, apart, in_ascii, main_script_in_ascii
from safeguards.leaks.streams import STREAMS, Decoded, Stream, margins
from safeguards.leaks.work import Work

MAX_LAYERS = 3
"""Encodings one within another that are undone."""
MAX_READINGS = 128
"""Readings that are made of one answer, of all layers together; pages of a textbook have up to 30."""
MIN_LETTERS = 8
"""Letters and digits in a decoded reading that are compared with secrets."""


MIN_HIDDEN = 16
"""Characters, in words with look-alikes that are no words of prose, which may be digits of an encoding."""
_NO_WORD = re.compile(r"[^\W\d_][A-Z]|[0-9]")


_WORD = re.compile(r"\S+")
_FOREIGN_LETTER = re.compile(r"[^\x00-\x7f\W\d_]")


class DecodedPiece(NamedTuple):
    """Text, and the numbers of the parts of the answer that it came from."""

    text: str
    parts: range


Pieces = Sequence[DecodedPiece]


def as_written(parts: Sequence[str]) -> Pieces:
    """The parts of an answer, each as a piece."""
    return [DecodedPiece(text, range(number, number + 1)) for number, text in enumerate(parts)]


def decoded(parts: Sequence[str], work: Work | None = None) -> Iterator[Pieces]:
    """The parts of an answer in every reading in which something was decoded, nearest layer first.

    Encodings are of ASCII characters, which look-alikes may stand for: both forms are decoded. With more readings than
    are made, the `work` is used up: one of those left out may be a secret.
    """
    layer = _both_forms(as_written(parts))
    seen = set(map(_key, layer))
    for _ in range(MAX_LAYERS):
        following: list[Pieces] = []
        for pieces in layer:
            for reading in _unpacked(pieces):
                if (key := _key(reading)) in seen:
                    continue
                if len(seen) >= MAX_READINGS:
                    if work:
                        work.use_up()
                    return
                seen.add(key)
                following.append(reading)
                yield reading
        layer = following


def _unpacked(pieces: Pieces) -> Iterator[Pieces]:
    """What the text is when one of the encodings is undone; parts without it were compared before."""
    for rewrite in REWRITES:
        changed = [DecodedPiece(text, one.parts) for one in pieces if (text := rewrite(one.text)) != one.text]
        if changed:
            yield changed
    for stream in STREAMS:
        yield from _streamed(stream, pieces)


def ciphers(pieces: Pieces) -> Iterator[Pieces]:
    """What any text can be read as, since nothing tells whether it is ciphered: rot13, and backwards."""
    in_letters = [DecodedPiece(in_ascii(piece.text, accents=True), piece.parts) for piece in pieces]
    has_look_alikes = _foreign_letters(pieces) != _foreign_letters(in_letters)
    for form in (pieces, in_letters, _in_main_script(pieces)) if has_look_alikes else (pieces,):
        yield [DecodedPiece(rot13(piece.text), piece.parts) for piece in form]
    for read in leet_readings(" ".join(piece.text for piece in in_letters)):
        yield [DecodedPiece(rot13(read(piece.text)), piece.parts) for piece in in_letters]
    yield _backwards(pieces)


def arrangements(pieces: Pieces) -> Iterator[Pieces]:
    """What a text says by where its words and letters stand, or backwards by rot13."""
    backwards = _backwards(pieces)
    yield [DecodedPiece(rot13(piece.text), piece.parts) for piece in backwards]
    for form in (pieces, backwards):
        yield [DecodedPiece(_WORD.sub(lambda word: word[0][::-1], piece.text), piece.parts) for piece in form]
    yield from _streamed(margins, pieces)


def _in_main_script(pieces: Pieces) -> Pieces:
    forms = apart(main_script_in_ascii(BREAK.join(piece.text.replace(BREAK, "") for piece in pieces)))
    return [DecodedPiece(form, piece.parts) for form, piece in zip(forms, pieces, strict=True)]


def _backwards(pieces: Pieces) -> Pieces:
    return [DecodedPiece(piece.text[::-1], piece.parts) for piece in reversed(pieces)]


def _foreign_letters(pieces: Pieces) -> list[str]:
    return [letter for piece in pieces for letter in _FOREIGN_LETTER.findall(piece.text)]


def may_be_ciphered_otherwise(text: str) -> bool:
    """True where a cipher of the text's own letters is not all there may be: some are foreign, or written as digits."""
    return bool(_FOREIGN_LETTER.search(text)) or any(leet_readings(text))


def _both_forms(pieces: Pieces) -> list[Pieces]:
    """The pieces as they are, and in ASCII if look-alikes stand for more than accents and signs of prose."""
    unlike_words = (
        form
        for piece in pieces
        if not piece.text.isascii()
        for word in piece.text.split()
        if not word.isascii() and _NO_WORD.search(form := in_ascii(word))
    )
    if sum(map(len, unlike_words)) < MIN_HIDDEN:
        return [pieces]
    return [pieces, [DecodedPiece(in_ascii(piece.text), piece.parts) for piece in pieces]]


def _streamed(stream: Stream, pieces: Pieces) -> Iterator[Pieces]:
    ends = list(accumulate(len(piece.text) for piece in pieces))
    for found in stream("".join(piece.text for piece in pieces)):
        if sum(sum(map(str.isalnum, one.text)) for one in found) >= MIN_LETTERS:
            yield [DecodedPiece(one.text, _owners(one, pieces, ends)) for one in found]


def _owners(found: Decoded, pieces: Pieces, ends: Sequence[int]) -> range:
    """Parts from the first to the last one that the text was decoded from."""
    of = [pieces[min(bisect_right(ends, position), len(ends) - 1)].parts for position in (found.start, found.end - 1)]
    return range(min(parts.start for parts in of), max(parts.stop for parts in of))


def _key(pieces: Pieces) -> int:
    return hash(tuple(piece.text for piece in pieces))
