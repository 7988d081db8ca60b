"""What somebody changed in a text, word by word."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import LCSseq, Levenshtein

from core.text.sentences import units

_PART = re.compile(r"\s+|[^\s]+")


class ChangeKind(StrEnum):
    KEPT = "kept"
    DELETED = "deleted"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a text that was kept, deleted or added, white space included."""

    kind: ChangeKind
    text: str


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a text was changed. Distances are in words; shares are from 0 to 1.

    `share_deleted` is of the words before, `share_added` of the words after; both are 0 of nothing.
    """

    edit_distance: int
    share_deleted: float
    share_added: float


def changes(before: str, after: str) -> list[Change]:
    """The texts merged: without added parts it is the one before, without deleted ones the one after.

    Changes with only white space between them are joined, since whole phrases read better than single words.
    """
    old, new = _PART.findall(before), _PART.findall(after)
    merged: list[Change] = []
    deleted = added = ""
    for step in LCSseq.opcodes(old, new):
        first = "".join(old[step.src_start : step.src_end])
        second = "".join(new[step.dest_start : step.dest_end])
        if step.tag == "equal" and (first.strip() or not (deleted or added)):
            merged += [*_changes_between(deleted, added), Change(ChangeKind.KEPT, first)]
            deleted = added = ""
        else:
            deleted, added = deleted + first, added + second
    return [*merged, *_changes_between(deleted, added)]


def _changes_between(deleted: str, added: str) -> list[Change]:
    # White space alone at both ends of a phrase may be equal by now.
    parts = ((ChangeKind.DELETED, deleted), (ChangeKind.ADDED, added))
    if deleted == added:
        return [Change(ChangeKind.KEPT, deleted)] if deleted else []
    return [Change(kind, text) for kind, text in parts if text]


def extent(before: str, after: str) -> Extent:
    """How much was changed between two texts."""
    old, new = before.split(), after.split()
    kept = LCSseq.similarity(old, new)
    return Extent(
        edit_distance=Levenshtein.distance(old, new),
        share_deleted=_share(len(old) - kept, len(old)),
        share_added=_share(len(new) - kept, len(new)),
    )


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def missing(before: str, after: str) -> list[str]:
    """The sentences of the text before that the text after does not have, or has less often, word for word."""
    words = _spaced(after)
    sentences = Counter(unit.text.strip() for unit in units(before) if unit.text.strip())
    return [
        " ".join(sentence.split())
        for sentence, count in sentences.items()
        for _ in range(count - words.count(_spaced(sentence)))
    ]


def _spaced(text: str) -> str:
    """Its words, each between spaces of its own."""
    return "".join(f" {word} " for word in text.split())
