"""Takes an endpoint's key, and whatever else looks like a credential, out of the words that an endpoint sent."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

MASK = "***"
MAX_QUOTED_CHARS = 300
"""Characters of an endpoint's words that a message quotes."""
_MAX_READ_CHARS = 4_000
"""Characters of them that are looked at, so that a long text costs little."""
_MIN_PART_CHARS = 8
"""So many characters in a row of a key are taken for a part of it. A shorter key is a placeholder such as "none"."""
_MIN_END_CHARS = 2
"""Characters of the key that a partly masked form shows at one of its ends."""

_CREDENTIAL = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|ghp|xai|key)[-_][\w\-]{8,}"
    r"|\bAIza[\w\-]{16,}"
    r"|\beyJ[\w\-]{8,}\.[\w\-.]+"
    r"|\b(?:Bearer|Basic)\s+[\w\-+/=.~]{4,}"
    r"|(?<=://)[^\s/@]{1,200}(?=@)"
    r"|(?:(?<=api[-_ ]key)|(?<=apikey)|(?<=token)|(?<=password)|(?<=secret))"
    r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?[^\s\"',;]{4,}",
    re.IGNORECASE,
)
_PARTLY_MASKED = re.compile(r"([\w\-+/=]{0,64})(?:([*•]{2,})|\.{2,}|…+)([\w\-+/=]{0,64})")


def redacted(text: str, key: str) -> str:
    """The text in one line, without the key in any of its forms, and at most `MAX_QUOTED_CHARS` long.

    Forms are: whole, in parts of 8 characters and more, partly masked, reversed, URL-encoded, in hexadecimal, and in
    base64. Whoever means to hide the key in a text finds further ones: this is against servers that are careless.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:_MAX_READ_CHARS]).split())
    if len(key) >= _MIN_PART_CHARS:
        line = _PARTLY_MASKED.sub(lambda match: _masked(match, key), _without_parts(line, _parts(key)))
    return _CREDENTIAL.sub(MASK, line)[:MAX_QUOTED_CHARS]


def _without_parts(line: str, parts: frozenset[str]) -> str:
    """The line with a mask in place of every run of characters that is covered by parts."""
    lowered = _lower(line)
    kept: list[str] = []
    position = 0
    while position < len(line):
        end = position
        while lowered[end : end + _MIN_PART_CHARS] in parts:
            end += 1
        if end > position:
            kept.append(MASK)
            position = end + _MIN_PART_CHARS - 1
        else:
            kept.append(line[position])
            position += 1
    return "".join(kept)


def _masked(match: re.Match[str], key: str) -> str:
    head, stars, tail = match.groups()
    starts = len(head) >= _MIN_END_CHARS and key.startswith(head)
    ends = len(tail) >= _MIN_END_CHARS and key.endswith(tail)
    return MASK if stars or starts or ends else match[0]


@cache
def _parts(key: str) -> frozenset[str]:
    """Every run of 8 characters in any form of the key, in small letters."""
    forms = (_lower(form) for form in _forms(key))
    return frozenset(
        form[start : start + _MIN_PART_CHARS] for form in forms for start in range(len(form) - _MIN_PART_CHARS + 1)
    )


def _forms(key: str) -> Iterator[str]:
    data = key.encode()
    yield from (key, key[::-1], quote(key, safe=""), quote(key), data.hex())
    for shift in range(3):
        # What stands before the key changes its base64; the characters that depend on it are left out.
        shifted = b"\0" * shift + data
        shifted = shifted[: len(shifted) // 3 * 3]
        for encoded in (b64encode(shifted), urlsafe_b64encode(shifted)):
            yield encoded.decode()[4 if shift else 0 :]


def _lower(text: str) -> str:
    """Small letters, each in the position of its capital one."""
    return "".join(c.lower() if c.isascii() else c for c in text)
