"""Where personal data stands in a text."""

from __future__ import annotations

from bisect import bisect_left
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
    return _disjoint(sorted(spans, key=lambda span: (_RANK[span.kind], span.start - span.end, span.start)))


def longest(spans: Iterable[Span]) -> list[Span]:
    """The spans in order of the text; of those that overlap, the longest."""
    return _disjoint(sorted(spans, key=lambda span: (span.start - span.end, span.start)))


def _disjoint(spans: Iterable[Span]) -> list[Span]:
    """Those that overlap none before them, in order of the text."""
    kept: list[Span] = []
    starts: list[int] = []
    for span in spans:
        position = bisect_left(starts, span.end)
        if position and kept[position - 1].end > span.start:
            continue
        starts.insert(position, span.start)
        kept.insert(position, span)
    return kept
