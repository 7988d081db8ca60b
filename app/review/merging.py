"""Two versions of a text, and what a reviewer makes of them: mine, theirs, or both by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import LCSseq

from app.review.working_text import WorkingText
from core.text.changes import Change, ChangeKind, changes

MAX_PARTS = 500


@dataclass(frozen=True)
class TextPart:
    """A part of two texts: the same in both, or different."""

    mine: str
    theirs: str
    is_unchanged_by_me: bool = False
    """True if mine is as in the draft that both began with, so that theirs is taken."""

    @property
    def is_same(self) -> bool:
        return self.mine.split() == self.theirs.split()

    @property
    def mine_marked(self) -> list[Change]:
        """Mine, with what theirs does not have as added."""
        return _additions(self.theirs, self.mine)

    @property
    def theirs_marked(self) -> list[Change]:
        return _additions(self.mine, self.theirs)


@dataclass(frozen=True)
class Conflict:
    """Two versions of a draft's text; `whose` are theirs, and `reason` says how they came to be."""

    whose: str
    reason: str
    parts: list[TextPart]
    is_final: bool = False
    """True if theirs is decided and cannot be taken back."""
    takes_back: bool = False
    """True if mine can only be used by taking their decision back."""

    @property
    def count(self) -> int:
        return sum(not part.is_same for part in self.parts)


def parts_of(mine: str, theirs: str, draft: str) -> list[TextPart]:
    """The texts block by block, side by side."""
    own, other = ([block.text for block in WorkingText.of(text).blocks] for text in (mine, theirs))
    original = {block.text for block in WorkingText.of(draft).blocks}
    return list(_parts(own, other, original))


def _parts(own: list[str], other: list[str], original: Collection[str]) -> Iterator[TextPart]:
    for step in LCSseq.opcodes(own, other):
        ours, theirs = own[step.src_start : step.src_end], other[step.dest_start : step.dest_end]
        is_unchanged = bool(ours) and all(text in original for text in ours)
        yield TextPart("\n\n".join(ours), "\n\n".join(theirs), is_unchanged)


def joined(parts: list[TextPart]) -> list[TextPart]:
    """Neighbouring parts that differ as one: a block that was changed is one deleted and one added."""
    merged: list[TextPart] = []
    for part in parts:
        if merged and not part.is_same and not merged[-1].is_same:
            before = merged.pop()
            mine = "\n\n".join(filter(None, (before.mine, part.mine)))
            theirs = "\n\n".join(filter(None, (before.theirs, part.theirs)))
            is_unchanged = all(one.is_unchanged_by_me or not one.mine for one in (before, part))
            merged.append(TextPart(mine, theirs, is_unchanged and bool(mine)))
        else:
            merged.append(part)
    return merged


def merged_text(form: Any) -> str:
    """The text that a form of `parts_of` chose: fields `part` in order, or for part n `choice-n` and its texts."""
    chosen = []
    for number in range(min(int(form.get("parts", 0) or 0), MAX_PARTS)):
        choice = str(form.get(f"choice-{number}", "same"))
        name = choice if choice in ("same", "mine", "theirs", "merged") else "mine"
        chosen.append(str(form.get(f"{name}-{number}", "")).replace("\r\n", "\n").strip())
    return "\n\n".join(filter(None, chosen))


def _additions(before: str, after: str) -> list[Change]:
    return [change for change in changes(before, after) if change.kind is not ChangeKind.DELETED]
