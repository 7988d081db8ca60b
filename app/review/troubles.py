"""Which questions of assignments students ask about most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.review.askers import count_people
from core.store.tables import DraftRow
from core.types import Source, location

MAX_TROUBLES = 8


@dataclass(frozen=True)
class Trouble:
    """A question of an assignment with the questions of students that were answered from it, or drafted so."""

    place: str
    block_id: str
    people: int
    count: int
    unused: int
    """Drafts that did not help: people wrote anew, discarded, or there was no answer."""


def troubles_of(drafts: Sequence[DraftRow], is_unused: Callable[[DraftRow], bool], least_people: int) -> list[Trouble]:
    """Those that most people asked about first. What a draft is about is the first assignment that it cites."""
    groups: defaultdict[str, list[DraftRow]] = defaultdict(list)
    blocks: dict[str, str] = {}
    for draft in drafts:
        for citation in (draft.response or {}).get("citations") or ():
            if citation.get("source") == Source.ASSIGNMENT:
                place = location(citation["title"], tuple(citation["heading_path"]))
                groups[place].append(draft)
                blocks.setdefault(place, citation["block_id"])
                break
    troubles = [
        Trouble(place, blocks[place], people, len(own), sum(map(is_unused, own)))
        for place, own in groups.items()
        if (people := count_people(own)) >= least_people
    ]
    return sorted(troubles, key=lambda one: (-one.people, -one.unused, one.place))[:MAX_TROUBLES]
