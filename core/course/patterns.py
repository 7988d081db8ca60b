"""Finds the regular expressions of a course file that take too long on some texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import regex

from core.course.file import Course

PUMPED_CHARS = 4_000
"""A pattern that backtracks takes seconds for this many; one that does not, less than a millisecond."""
PATTERN_SECONDS = 0.1
"""For all of the texts that a pattern is tried on."""
_PIECES = ("a", "A", "1", "A1", "a.", "1-", "1 ", "a b ", "_", "u1", "s-", ".")


def slow_patterns(course: Course) -> Iterator[str]:
    """A warning for each pattern that backtracks on a text of repeated characters. Takes at most moments."""
    patterns = {"privacy: student_id": course.privacy.student_id}
    patterns |= {f"edison: rules.{n}: pattern": rule.when.pattern for n, rule in enumerate(course.edison.rules, 1)}
    for key, pattern in patterns.items():
        if pattern is not None and (text := _slow_text(pattern)) is not None:
            yield (
                f"{key}: the pattern {pattern!r} takes very long on some texts, such as {text!r} repeated. Give its "
                r"parts fixed lengths, such as \d{8} in place of \d+, and begin it with \b."
            )


def _slow_text(pattern: str) -> str | None:
    """What is repeated in a text that the pattern takes too long on; None if none was found."""
    compiled = regex.compile(pattern)
    # A pattern is not tried where a text lacks a letter that every match has.
    ends = ("", "!", f"!{''.join(sorted(set(pattern)))}")
    for piece, end in product(_PIECES, ends):
        try:
            for _ in compiled.finditer(piece * (PUMPED_CHARS // len(piece)) + end, timeout=PATTERN_SECONDS):
                pass
        except TimeoutError:
            return piece
    return None
