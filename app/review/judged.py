"""Judges' scores of drafts, as far as a reviewer may know them: where she scores herself, only after she has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.access import Person
from core.store.store import Store
from core.store.tables import DraftRow, JudgementRow


@dataclass(frozen=True)
class Judged:
    """The judgements of some drafts that a reviewer may see, by draft, and the drafts whose judgement waits for her."""

    shown: dict[str, JudgementRow] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


async def judged_for(store: Store, drafts: Sequence[DraftRow], reader: Person) -> Judged:
    """What the reviewer may see of the drafts' judgements.

    She scores in a course as soon as she has scored one of its drafts: then each judgement waits for her own score, so
    that it does not sway her.
    """
    found = await store.judgements.of_many([one.id for one in drafts])
    if not found:
        return Judged()
    scored = await store.decisions.scored_by(reader.id)
    hidden = {one.id for one in drafts if one.id in found and one.id not in scored.get(one.course_id, {one.id})}
    return Judged({name: row for name, row in found.items() if name not in hidden}, frozenset(hidden))
