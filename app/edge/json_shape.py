"""Counts the values and the nesting depth of a JSON text without parsing it."""

from __future__ import annotations

from dataclasses import dataclass

MAX_VALUES = 2_000
"""Maximum members and elements of a body; a request with all lists full has about half as many."""
MAX_DEPTH = 20

_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


@dataclass(frozen=True)
class Shape:
    """`values` are members and elements; an empty container counts as if it had one."""

    values: int
    depth: int


def is_too_large(content: bytes | bytearray) -> bool:
    """True if a JSON text in UTF-8 has more values or is nested deeper than allowed.

    Linear in the length, and fast: bytes are counted, searched and replaced in C.
    """
    opened = content.count(b"{") + content.count(b"[")
    if opened <= MAX_DEPTH and opened + content.count(b",") <= MAX_VALUES:
        return False  # Not even if all of these are outside of strings.
    shape = shape_of(content)
    return shape.values > MAX_VALUES or shape.depth > MAX_DEPTH


def shape_of(content: bytes | bytearray) -> Shape:
    """The shape of a JSON text in UTF-8, exact up to the limits; of invalid JSON, up to the first visible error."""
    # A run of backslashes begins with an escape: once pairs are removed, a backslash before a quote escapes it.
    plain = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    # A value has at most two strings, its key and itself.
    if (values := plain.count(b'"') // 4) > MAX_VALUES:
        return Shape(values, 0)
    outside = b"".join(plain.split(b'"')[::2])
    values = outside.count(b",") + outside.count(b"{") + outside.count(b"[")
    return Shape(values, _depth(outside.translate(None, _NOT_BRACKETS)[: 4 * MAX_VALUES]))


def _depth(brackets: bytes | bytearray) -> int:
    depth = deepest = 0
    for bracket in brackets:
        depth += 1 if bracket in b"{[" else -1
        if depth < 0:
            break
        deepest = max(deepest, depth)
    return deepest
