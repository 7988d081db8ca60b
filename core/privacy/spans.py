"""Where personal data stands in a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """A kind of personal data that is replaced."""

    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"
    STUDENT_ID = "student_id"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a text; `of` tells equal names apart from others, whatever their spelling."""

    start: int
    end: int
    kind: Kind
    of: str


_RANK = {Kind.EMAIL: 0, Kind.STUDENT_ID: 1, Kind.PHONE: 2, Kind.NAME: 3}


def without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """The spans in order of the text; of those that overlap, the surest kind and then the longest."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda one: (_RANK[one.kind], one.start - one.end, one.start)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda one: one.start)
