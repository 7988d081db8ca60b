"""Finds long tokens that no person reads: whatever they hold, a student has no use for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from unicodedata import normalize

import regex

from safeguards.leaks.letters import ascii_with_positions

MIN_OPAQUE = 32
"""Characters from which a token is too long to be left unread."""
MIN_RANDOM = 16
"""Characters of a token that must look random; the others may be words and separators, as in paths."""
MIN_RANDOM_PART = 6
"""Characters between separators that can look random at all."""
MAX_MEAN = 3.0
"""Mean length of what stands between changes of case, or of letters and digits, where characters look random."""
MIN_EACH_BIT = 8
"""Zeros, and ones, in a token of binary digits; numbers such as a power of ten have fewer."""
MIN_LETTERS, MIN_DIGITS = 64, 60
"""Letters, and digits, that no word and no number has without a break."""
MAX_REPEATED = 8
"""Times that one character counts where it is repeated: a googol and a cry of joy tell nothing."""
MIN_CHUNKED, MAX_CHUNK_MEAN = 64, 2.5
"""Characters of chunks that look random, one after another, and the mean length between changes in them."""
WINDOW, MIN_DISTINCT, MIN_CHANGES = 48, 28, 27
"""Characters in a row, with so many different ones and so many changes of kind, that no code or formula has."""

_TOKEN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,}={0,6}")
_ESCAPES = re.compile(
    r"(?:%[0-9A-Fa-f]{2}|=[0-9A-F]{2}|\\u\{?[0-9A-Fa-f]{4,6}\}?|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|\\[0-3]?[0-7]{2}"
    r"|&(?:amp;)?\#(?:\d{2,7}|[xX][0-9A-Fa-f]{2,6});|(?<=[0-9A-Fa-f]{2}[%=])[A-Za-z0-9]){4,}"
)
_UNBROKEN = re.compile(rf"[^\W_]{{{MIN_DIGITS},}}|[0-9]{{1,3}}(?:[,.'_][0-9]{{3}}){{{MIN_DIGITS // 3 - 1},}}")
_CHUNK = r"(?![A-Z]?[a-z]+\b|[A-Z]+\b|[0-9a-f]+\b|[0-9A-F]+\b)[A-Za-z0-9+/]{6,}+={0,2}"
_CHUNKS = re.compile(rf"(?<![\w+/=-]){_CHUNK}(?:[^\w\n]{{1,4}}{_CHUNK}|\n{_CHUNK})++")
_RUN = re.compile(rf"\S{{{WINDOW},}}")
_SEGMENT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SEGMENT_OR_SIGNS = re.compile(rf"{_SEGMENT.pattern}|[^A-Za-z0-9]+")
_KINDS = tuple(map(re.compile, ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]")))
_SEPARATOR = re.compile(r"[+/_=-]+")
_BASE32 = re.compile(r"(?:[A-Z]*[2-7]){3}[A-Z2-7]*|(?:[a-z]*[2-7]){3}[a-z2-7]*")
_REPEATED = re.compile(rf"(.)\1{{{MAX_REPEATED},}}")
_LATIN = re.compile(r"[A-Za-z]")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}]"
)
"""Scripts that set no space between words."""


def without_opaque(text: str, known: Sequence[str]) -> tuple[str, list[int]]:
    """The text without opaque tokens that stand in no known text, and the length of each that was removed.

    Tokens are looked for in the text as it is read in ASCII: look-alikes hide nothing.
    """
    removed: list[int] = []
    form, positions = ascii_with_positions(text)
    for pattern, is_unread in _CHECKS:
        kept, last = list[str](), 0
        for match in pattern.finditer(form):
            start, end = positions[match.start()], positions[match.end()]
            written = text[start:end]
            if is_unread(match[0], written) and not any(written.strip() in one for one in known):
                kept.append(text[last:start])
                removed.append(len(written))
                last = end
        if kept:
            text = "".join([*kept, text[last:]])
            form, positions = ascii_with_positions(text)
    return text, removed


def _is_escaped(token: str, _written: str) -> bool:
    return len(token) >= MIN_OPAQUE


def _is_random(token: str, written: str) -> bool:
    """True of a long token whose characters look random, unless it is a word of another script."""
    if not written.isascii() and not _LATIN.search(normalize("NFKD", written)):
        return False
    body = token.rstrip("=")
    if _BASE32.fullmatch(body) or _is_binary(body):
        return True
    return sum(len(part) for part in _SEPARATOR.split(body) if _looks_random(part)) >= MIN_RANDOM


def _is_binary(token: str) -> bool:
    return set(token) == {"0", "1"} and min(token.count("0"), token.count("1")) >= MIN_EACH_BIT


def _looks_random(part: str) -> bool:
    return len(part) >= MIN_RANDOM_PART and not part.isdigit() and len(part) < MAX_MEAN * len(_SEGMENT.findall(part))


def _is_endless(token: str, written: str) -> bool:
    """True of more letters or digits in a row than words and numbers have, repeated ones aside."""
    if 2 * len(_UNSPACED.findall(written)) >= len(written):
        return False
    told = _REPEATED.sub(lambda match: match[1] * MAX_REPEATED, token)
    digits = sum(map(str.isdigit, told))
    return len(told) >= MIN_LETTERS or digits >= MIN_DIGITS


def _are_random_chunks(token: str, _written: str) -> bool:
    return len(token) >= MIN_CHUNKED and len(token) < MAX_CHUNK_MEAN * len(_SEGMENT.findall(token))


def _is_dense(token: str, _written: str) -> bool:
    """True of a run with more kinds of characters, in a wilder mix, than code and formulas have, such as Base85."""
    starts = range(0, len(token) - WINDOW + 1, WINDOW // 6)
    return any(_is_dense_window(token[start : start + WINDOW]) for start in starts)


def _is_dense_window(window: str) -> bool:
    return (
        len(set(window)) >= MIN_DISTINCT
        and len(_SEGMENT_OR_SIGNS.findall(window)) >= MIN_CHANGES
        and all(kind.search(window) for kind in _KINDS)
    )


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[str, str], bool]], ...] = (
    (_ESCAPES, _is_escaped),
    (_TOKEN, _is_random),
    (_UNBROKEN, _is_endless),
    (_CHUNKS, _are_random_chunks),
    (_RUN, _is_dense),
)
"""What may be opaque, and whether it is, given in ASCII and as it is written."""
