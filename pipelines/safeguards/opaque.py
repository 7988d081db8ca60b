"""Finds long tokens that no person reads: whatever they hold, a student has no use for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

MIN_OPAQUE = 32
"""Characters from which a token is too long to be left unread."""
MIN_RANDOM = 16
"""Characters of a token that must look random; the others may be words and separators, as in paths."""
MIN_RANDOM_PART = 8
"""Characters between separators that can look random at all."""
MAX_MEAN = 3.0
"""Mean length of what stands between changes of case, or of letters and digits, where characters look random."""
MIN_EACH_BIT = 8
"""Zeros, and ones, in a token of binary digits; numbers such as a power of ten have fewer."""

_TOKEN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{32,}={0,6}")
_ESCAPES = re.compile(
    r"(?:%[0-9A-Fa-f]{2}|=[0-9A-F]{2}|\\u\{?[0-9A-Fa-f]{4,6}\}?|\\U[0-9A-Fa-f]{8}|\\x[0-9A-Fa-f]{2}|\\[0-3]?[0-7]{2}"
    r"|&(?:amp;)?\#(?:\d{2,7}|[xX][0-9A-Fa-f]{2,6});|(?<=[0-9A-Fa-f]{2}[%=])[A-Za-z0-9]){4,}"
)
_SEGMENT = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SEPARATOR = re.compile(r"[+/_=-]+")
_BASE32 = re.compile(r"(?:[A-Z]*[2-7]){3}[A-Z2-7]*|(?:[a-z]*[2-7]){3}[a-z2-7]*")


def without_opaque(text: str, known: Sequence[str]) -> tuple[str, list[int]]:
    """The text without opaque tokens that stand in no known text, and the length of each that was removed."""
    removed: list[int] = []

    def keep(match: re.Match[str]) -> str:
        token = match[0]
        if not is_opaque(token) or any(token in one for one in known):
            return token
        removed.append(len(token))
        return ""

    for pattern in (_ESCAPES, _TOKEN):
        text = pattern.sub(keep, text)
    return text, removed


def is_opaque(token: str) -> bool:
    """True of a long run of escapes, and of a long token whose characters look random."""
    if len(token) < MIN_OPAQUE:
        return False
    if _ESCAPES.fullmatch(token):
        return True
    body = token.rstrip("=")
    if _BASE32.fullmatch(body) or _is_binary(body):
        return True
    return sum(len(part) for part in _SEPARATOR.split(body) if _looks_random(part)) >= MIN_RANDOM


def _is_binary(token: str) -> bool:
    return set(token) == {"0", "1"} and min(token.count("0"), token.count("1")) >= MIN_EACH_BIT


def _looks_random(part: str) -> bool:
    if len(part) < MIN_RANDOM_PART or part.isdigit():
        return False
    return len(part) < MAX_MEAN * len(_SEGMENT.findall(part))
