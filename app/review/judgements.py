"""Judges' scores that a reviewer may see: where reviewers score themselves, only afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.access import Person
from core.store.store import Store
from core.store.tables import DraftRow, JudgementRow


@dataclass(frozen=True)
class VisibleJudgements:
    """Judgements that a reviewer may see, by draft, and the drafts whose judgement is hidden."""

    shown: dict[str, JudgementRow] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


async def visible_judgements(store: Store, drafts: Sequence[DraftRow], reader: Person) -> VisibleJudgements:
    """The drafts' judgements that the reviewer may see.

    Whoever scores drafts of a course sees a judgement only after her own score, so that it does not sway her.
    """
    judgements = await store.judgements.of_many([one.id for one in drafts])
    if not judgements:
        return VisibleJudgements()
    scored = await store.decisions.scored_by(reader.id)
    hidden = {one.id for one in drafts if one.id in judgements and one.id not in scored.get(one.course_id, {one.id})}
    return VisibleJudgements({name: row for name, row in judgements.items() if name not in hidden}, frozenset(hidden))
