"""Which drafts a list holds."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, exists, or_

from core.store.tables import DraftState, JudgementRow, table_of

_judgements = table_of(JudgementRow)


@dataclass(frozen=True, slots=True)
class DraftFilter:
    """Conditions that a draft has to meet together; None is no condition.

    `course_ids` are those that the reader may see. A claim counts while `at` is before its end.
    """

    at: datetime
    course_ids: tuple[str, ...] | None = None
    states: tuple[DraftState, ...] = ()
    kind: str | None = None
    category: str | None = None
    min_confidence: float | None = None
    below_confidence: float | None = None
    not_course_ids: tuple[str, ...] = ()
    judged: tuple[float | None, float | None] | None = None
    """Scored by a judge from the first value on and below the second."""
    created_before: datetime | None = None
    claimed_by: str | None = None
    not_claimed_by: str | None = None
    is_unclaimed: bool = False
    words: str | None = None

    @property
    def scope(self) -> DraftFilter:
        """The same whatever the confidence, age and claim: what the views of one queue have in common."""
        return replace(
            self,
            min_confidence=None,
            below_confidence=None,
            created_before=None,
            claimed_by=None,
            not_claimed_by=None,
            is_unclaimed=False,
        )

    @property
    def by_state(self) -> list[DraftFilter]:
        """The same in parts of one state each, which are read in order from an index."""
        return [replace(self, states=(state,)) for state in self.states] or [self]

    def conditions(self, columns: Any) -> list[ColumnElement[bool]]:
        """As conditions on the columns of the table of drafts."""
        conditions: list[ColumnElement[bool]] = []
        if self.course_ids is not None:
            conditions.append(columns.course_id.in_(self.course_ids))
        if self.not_course_ids:
            conditions.append(columns.course_id.not_in(self.not_course_ids))
        if self.states:
            conditions.append(columns.state.in_(self.states))
        named = {"kind": self.kind, "category": self.category}
        conditions += [columns[name] == value for name, value in named.items() if value is not None]
        if self.min_confidence is not None:
            conditions.append(columns.confidence >= self.min_confidence)
        if self.below_confidence is not None:
            conditions.append(columns.confidence < self.below_confidence)
        if self.created_before is not None:
            conditions.append(columns.created_at < self.created_before)
        if self.words:
            # As JSON is stored: with escapes.
            escaped = json.dumps(self.words)[1:-1]
            conditions.append(cast(columns.request, Text).icontains(escaped, autoescape=True))
        if self.judged is not None:
            conditions.append(_is_judged(columns, *self.judged))
        return conditions + self._claims(columns)

    def _claims(self, columns: Any) -> list[ColumnElement[bool]]:
        is_held = columns.claimed_until > self.at
        conditions: list[ColumnElement[bool]] = []
        if self.claimed_by is not None:
            conditions += [columns.claimed_by == self.claimed_by, is_held]
        if self.not_claimed_by is not None:
            conditions += [columns.claimed_by != self.not_claimed_by, is_held]
        if self.is_unclaimed:
            conditions.append(
                or_(columns.claimed_by.is_(None), columns.claimed_until.is_(None), columns.claimed_until <= self.at)
            )
        return conditions


def _is_judged(columns: Any, low: float | None, below: float | None) -> ColumnElement[bool]:
    mine = [_judgements.c.draft_id == columns.id, _judgements.c.score.is_not(None)]
    mine += [_judgements.c.score >= low] if low is not None else []
    mine += [_judgements.c.score < below] if below is not None else []
    return exists().where(*mine)
