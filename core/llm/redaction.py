"""Removes an endpoint's key, and whatever else looks like a credential, from texts that an endpoint sent."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

MASK = "***"
MAX_QUOTED_CHARS = 300
"""Maximum characters of an endpoint's text that a message quotes."""
_MAX_READ_CHARS = 4_000
"""Maximum characters examined, so that a long text costs little."""
_MIN_PART_CHARS = 8
"""Minimum length of a run of characters that counts as part of the key. A shorter key is a placeholder like "none"."""
_MIN_END_CHARS = 2
"""Minimum characters of the key shown at one end of a partly masked form."""

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
    """The text in one line of at most `MAX_QUOTED_CHARS`, without the key in any of its forms.

    The forms are: whole, in parts of at least 8 characters, partly masked, reversed, URL-encoded, in hexadecimal, and
    in base64. This protects against careless servers, not against one that hides the key on purpose.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:_MAX_READ_CHARS]).split())
    if len(key) >= _MIN_PART_CHARS:
        line = _PARTLY_MASKED.sub(lambda match: _masked(match, key), _without_parts(line, _parts(key)))
    return _CREDENTIAL.sub(MASK, line)[:MAX_QUOTED_CHARS]


def _without_parts(line: str, parts: frozenset[str]) -> str:
    """The line with every run of characters that is covered by parts masked."""
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
    """Every run of 8 characters in any form of the key, in lower case."""
    forms = (_lower(form) for form in _forms(key))
    return frozenset(
        form[start : start + _MIN_PART_CHARS] for form in forms for start in range(len(form) - _MIN_PART_CHARS + 1)
    )


def _forms(key: str) -> Iterator[str]:
    data = key.encode()
    yield from (key, key[::-1], quote(key, safe=""), quote(key), data.hex())
    for shift in range(3):
        # The bytes before the key change its base64; the characters that depend on them are left out.
        shifted = b"\0" * shift + data
        shifted = shifted[: len(shifted) // 3 * 3]
        for encoded in (b64encode(shifted), urlsafe_b64encode(shifted)):
            yield encoded.decode()[4 if shift else 0 :]


def _lower(text: str) -> str:
    """ASCII letters in lower case; other characters unchanged, so that positions stay the same."""
    return "".join(c.lower() if c.isascii() else c for c in text)
