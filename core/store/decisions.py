"""Decisions on drafts: one counts for each draft, whoever else decides at the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Executable, Text, and_, cast, select

from core.access import Person
from core.errors import AlreadyDecided, ClaimedByOther, DraftChanged, NotDecidable, NotFound
from core.review import EditPurpose, Outcome
from core.store.edits import discard_edit
from core.store.engine.topic import Topic, transaction
from core.store.forums import queue_correction
from core.store.outbox import CORRECTED, DECIDED, Outbox
from core.store.people.audit import Audit, AuditEntry
from core.store.tables import DecisionRow, DraftRow, DraftState, table_of

_drafts = table_of(DraftRow)
_decisions = table_of(DecisionRow)
_counts = and_(_decisions.c.undone_at.is_(None), _decisions.c.replaced_at.is_(None), _decisions.c.is_second.is_(False))

OPEN = (DraftState.PENDING, DraftState.FAILED)
"""States of drafts that wait for a decision: a failed one may get an answer by hand."""
_FREE = {"claimed_by": None, "claimed_by_name": None, "claimed_until": None}


class Decisions(Topic):
    @transaction
    def decide(
        self, connection: Connection, decision: DecisionRow, version: int | None, *, if_unclaimed: bool = False
    ) -> None:
        """Store the decision, and its messages in the outbox. `version` is that of the draft that was read; None for
        any.

        Raises `NotFound`, `AlreadyDecided`, `NotDecidable` for a draft in work or without a question, `DraftChanged`,
        and with `if_unclaimed` also `ClaimedByOther`.
        """
        draft = _lock_draft(connection, decision.draft_id)
        _demand_open(connection, draft)
        if if_unclaimed:
            _demand_unclaimed(draft, decision.decided_by, decision.decided_at)
        if version is not None and version != draft.version:
            raise DraftChanged(f"The draft {draft.id} has changed since you read it. Read it again, then decide.")
        if draft.stale and decision.outcome is not Outcome.DISCARDED:
            raise DraftChanged(f"{draft.stale} This draft can only be discarded.")
        changed = {"state": DraftState.DECIDED, "version": draft.version + 1, **_FREE}
        connection.execute(_drafts.update().where(_drafts.c.id == draft.id).values(changed))
        connection.execute(_decisions.insert(), decision.model_dump())
        Outbox.add(connection, draft, DECIDED, decision.final_at)
        discard_edit(connection, draft.id, decision.decided_by, EditPurpose.DECISION)
        _note(
            connection, draft, Person(decision.decided_by, decision.decided_by_name), "draft.decide", decision.outcome
        )

    @transaction
    def correct(self, connection: Connection, correction: DecisionRow) -> None:
        """Let a decision take the place of the final one that it `corrects`, and tell of it at once. What was posted in
        a forum is changed there.

        Raises `NotFound`, and `NotDecidable` where another decision counts by now.
        """
        draft = _lock_draft(connection, correction.draft_id)
        before = _decision_of(connection, correction.draft_id)
        if before is None or before.id != correction.corrects:
            raise NotDecidable(
                "Somebody else has corrected this answer meanwhile. Load the page: both texts are there."
            )
        replaced = {"replaced_at": correction.decided_at}
        connection.execute(_decisions.update().where(_decisions.c.id == before.id).values(replaced))
        connection.execute(_drafts.update().where(_drafts.c.id == draft.id).values(version=draft.version + 1))
        connection.execute(_decisions.insert(), correction.model_dump())
        Outbox.add(connection, draft, CORRECTED, correction.final_at)
        queue_correction(connection, draft.id)
        discard_edit(connection, draft.id, correction.decided_by, EditPurpose.CORRECTION)
        _note(
            connection,
            draft,
            Person(correction.decided_by, correction.decided_by_name),
            "draft.correct",
            correction.outcome,
        )

    @transaction
    def annotate(self, connection: Connection, decision: DecisionRow) -> None:
        """Store a second opinion; it replaces an earlier one by the same person. Raises `NotFound`."""
        mine = and_(
            _decisions.c.draft_id == decision.draft_id,
            _decisions.c.decided_by == decision.decided_by,
            _decisions.c.is_second.is_(True),
        )
        _lock_draft(connection, decision.draft_id)
        connection.execute(_decisions.delete().where(mine))
        connection.execute(_decisions.insert(), decision.model_dump())
        discard_edit(connection, decision.draft_id, decision.decided_by, EditPurpose.OPINION)

    @transaction
    def undo(self, connection: Connection, draft_id: str, by: Person, at: datetime) -> DecisionRow:
        """Take back a decision that is not final, and return it. Raises `NotFound`, or `NotDecidable` if too late."""
        draft = _lock_draft(connection, draft_id)
        decision = _decision_of(connection, draft_id)
        if decision is None:
            raise NotFound(f"The draft {draft_id} has no decision that could be undone.")
        if decision.final_at <= at:
            raise NotDecidable("It is too late to undo this decision: it is final, and may be posted already.")
        state = DraftState.FAILED if draft.response is None else DraftState.PENDING
        changed = {"state": state, "version": draft.version + 1}
        connection.execute(_drafts.update().where(_drafts.c.id == draft_id).values(changed))
        connection.execute(_decisions.update().where(_decisions.c.id == decision.id).values(undone_at=at))
        Outbox.take_back(connection, draft_id)
        _note(connection, draft, by, "draft.undo", decision.outcome)
        return decision

    async def claim(self, draft_id: str, by: Person, until: datetime, at: datetime) -> None:
        """Tell others that `by` is reviewing a draft. Raises `NotFound`, `NotDecidable` and `ClaimedByOther`."""
        await self._transact(_claim, draft_id, by, until, at)

    @transaction
    def hand_over(
        self, connection: Connection, draft_id: str, by: Person, to: Person, until: datetime, at: datetime
    ) -> None:
        """Claim a draft for somebody else; another's claim can only be handed over by its holder. Raises as `claim`."""
        _claim(connection, draft_id, by, until, at)
        _set_claim(connection, draft_id, to, until)

    @transaction
    def reserve(self, connection: Connection, draft_id: str, by: Person, until: datetime, at: datetime) -> None:
        """Claim an open draft that nobody else has claimed, at least until then. Raises `NotFound`."""
        draft = _lock_draft(connection, draft_id)
        is_longer = draft.claimed_by == by.id and draft.claimed_until is not None and draft.claimed_until >= until
        if draft.state in OPEN and not is_longer and not _is_others(draft, by.id, at):
            _set_claim(connection, draft_id, by, until)

    async def release(self, draft_id: str, by: Person, *, before: datetime | None = None) -> None:
        """Give up one's own claim, or only one that ends before then; another's stays."""
        mine = and_(_drafts.c.id == draft_id, _drafts.c.claimed_by == by.id)
        if before is not None:
            mine = and_(mine, _drafts.c.claimed_until <= before)
        await self._change(_drafts.update().where(mine).values(_FREE))

    async def note_promotion(self, decision_id: str, at: datetime | None) -> None:
        """Record that a decision's text became a past question of the course, or with None that it no longer is."""
        await self._change(_decisions.update().where(_decisions.c.id == decision_id).values(promoted_at=at))

    async def of(self, draft_id: str) -> DecisionRow | None:
        """The decision that counts."""
        return (await self.of_many([draft_id])).get(draft_id)

    async def of_many(self, draft_ids: Sequence[str]) -> dict[str, DecisionRow]:
        """The decisions that count, by draft."""
        query = select(_decisions).where(_decisions.c.draft_id.in_(draft_ids), _counts)
        return {decision.draft_id: decision for decision in await self._decisions(query)}

    async def latest_by(self, person_id: str, since: datetime, limit: int) -> list[DecisionRow]:
        """What a person has decided since then and what counts, newest first."""
        mine = (_decisions.c.decided_by == person_id, _decisions.c.decided_at >= since, _counts)
        return await self._decisions(
            select(_decisions).where(*mine).order_by(_decisions.c.decided_at.desc(), _decisions.c.id).limit(limit)
        )

    async def history(self, draft_id: str) -> list[DecisionRow]:
        """All decisions and second opinions of a draft, undone ones too, oldest first."""
        query = select(_decisions).where(_decisions.c.draft_id == draft_id).order_by(_decisions.c.decided_at)
        return await self._decisions(query)

    async def of_course(self, course_id: str, since: datetime | None = None) -> list[DecisionRow]:
        """The course's decisions that count, oldest first."""
        query = select(_decisions).where(_decisions.c.course_id == course_id, _counts)
        if since is not None:
            query = query.where(_decisions.c.decided_at >= since)
        return await self._decisions(query.order_by(_decisions.c.decided_at, _decisions.c.id))

    async def second_of_course(self, course_id: str) -> list[DecisionRow]:
        """The course's second opinions, oldest first."""
        query = select(_decisions).where(_decisions.c.course_id == course_id, _decisions.c.is_second.is_(True))
        return await self._decisions(query.order_by(_decisions.c.decided_at, _decisions.c.id))

    async def scored_by(self, person_id: str) -> dict[str, set[str]]:
        """The drafts that a person has scored, by course; undone decisions and second opinions count too."""
        mine = and_(_decisions.c.decided_by == person_id, cast(_decisions.c.scores, Text) != "{}")
        drafts: defaultdict[str, set[str]] = defaultdict(set)
        for course_id, draft_id in await self._rows(select(_decisions.c.course_id, _decisions.c.draft_id).where(mine)):
            drafts[course_id].add(draft_id)
        return dict(drafts)

    async def _decisions(self, query: Executable) -> list[DecisionRow]:
        return [_row(row) for row in await self._rows(query)]


def _row(stored: Any) -> DecisionRow:
    return DecisionRow(**{**stored._mapping, "outcome": Outcome(stored.outcome)})


def _lock_draft(connection: Connection, draft_id: str) -> Any:
    """The draft's row, locked until the end of the transaction. Raises `NotFound`."""
    claim = ("claimed_by", "claimed_by_name", "claimed_until")
    columns = ("id", "course_id", "state", "version", "response", "callback_url", "stale", *claim)
    query = select(*(_drafts.c[name] for name in columns)).where(_drafts.c.id == draft_id).with_for_update()
    if (row := connection.execute(query).one_or_none()) is None:
        raise NotFound(f"There is no draft {draft_id!r}.")
    return row


def _decision_of(connection: Connection, draft_id: str) -> DecisionRow | None:
    row = connection.execute(select(_decisions).where(_decisions.c.draft_id == draft_id, _counts)).one_or_none()
    return _row(row) if row else None


def _demand_open(connection: Connection, draft: Any) -> None:
    """Raises `AlreadyDecided`, and `NotDecidable` for a draft that is not open for another reason."""
    if draft.state == DraftState.DECIDED and (first := _decision_of(connection, draft.id)):
        raise AlreadyDecided(
            f"{first.decided_by_name} decided this draft already: {first.outcome}. Your decision was not saved.",
            first.model_dump(mode="json"),
        )
    if draft.state not in OPEN:
        raise NotDecidable(f"The draft {draft.id} is {draft.state}, so it cannot be decided.")


def _note(connection: Connection, draft: Any, actor: Person, action: str, outcome: str) -> None:
    details = {"outcome": str(outcome)}
    Audit.record(connection, AuditEntry(actor, action, course_id=draft.course_id, subject=draft.id, details=details))


def _claim(connection: Connection, draft_id: str, by: Person, until: datetime, at: datetime) -> None:
    draft = _lock_draft(connection, draft_id)
    _demand_open(connection, draft)
    _demand_unclaimed(draft, by.id, at)
    _set_claim(connection, draft_id, by, until)


def _demand_unclaimed(draft: Any, person: str, at: datetime) -> None:
    """Raises `ClaimedByOther`."""
    if _is_others(draft, person, at):
        raise ClaimedByOther(
            f"{draft.claimed_by_name} is reviewing this draft until {draft.claimed_until:%H:%M} UTC. Take another "
            "one, or ask for it to be handed over."
        )


def _is_others(draft: Any, person: str, at: datetime) -> bool:
    is_held = draft.claimed_until is not None and draft.claimed_until > at
    return is_held and draft.claimed_by not in (None, person)


def _set_claim(connection: Connection, draft_id: str, by: Person, until: datetime) -> None:
    claim = {"claimed_by": by.id, "claimed_by_name": by.name, "claimed_until": until}
    connection.execute(_drafts.update().where(_drafts.c.id == draft_id).values(claim))
