"""What people typed about drafts and did not send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.access import Person
from core.errors import ClaimedByOther, EditChanged
from core.review import EditPurpose, Outcome
from core.store.presence import PRESENT
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState, EditRow, now

ADA, BOB = Person("ada", "Ada"), Person("bob", "Bob")
DECISION = EditPurpose.DECISION


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite:///{tmp_path / 'edits.db'}")
    await opened.courses.put("c", {"id": "c"})
    await opened.drafts.begin(DraftRow(id="d", course_id="c", state=DraftState.PENDING, response={"answer": "a"}))
    yield opened
    await opened.aclose()


def edit(text: str, person: Person = ADA, purpose: EditPurpose = DECISION) -> EditRow:
    return EditRow(draft_id="d", course_id="c", person=person.id, purpose=purpose, fields={"block": [text]})


def decision(by: Person) -> DecisionRow:
    return DecisionRow(
        id=by.id, draft_id="d", course_id="c", outcome=Outcome.APPROVED, decided_by=by.id, decided_by_name=by.name,
        decided_at=now(), final_at=now() + timedelta(hours=1),
    )  # fmt: skip


async def text_of(store: Store, person: Person = ADA, purpose: EditPurpose = DECISION) -> str | None:
    row = await store.edits.of("d", person.id, purpose)
    return row.fields["block"][0] if row else None


async def test_a_save_over_a_revision_that_was_not_seen_is_refused_and_loses_nothing(store: Store) -> None:
    first = (await store.edits.save(edit("one"), 0)).revision
    assert (await store.edits.save(edit("two"), first)).revision == first + 1
    with pytest.raises(EditChanged):
        await store.edits.save(edit("three"), first)
    assert await text_of(store) == "two"
    assert (await store.edits.save(edit("two"), 0)).revision == first + 1, "the same text again is no conflict"
    assert (await store.edits.save(edit("four"), None)).revision == first + 2


async def test_a_page_of_a_discarded_edit_does_not_know_the_revision_of_the_next_one(store: Store) -> None:
    seen = (await store.edits.save(edit("one"), 0)).revision
    await store.edits.discard("d", ADA.id, DECISION)
    await store.edits.save(edit("two"), 0)
    with pytest.raises(EditChanged):
        await store.edits.save(edit("from the old page"), seen)
    assert await text_of(store) == "two"


async def test_an_edit_belongs_to_a_person_and_a_purpose(store: Store) -> None:
    for row in (edit("a"), edit("b", BOB), edit("c", ADA, EditPurpose.OPINION)):
        await store.edits.save(row, 0)
    await store.decisions.decide(decision(ADA), None)
    texts = [await text_of(store), await text_of(store, BOB), await text_of(store, ADA, EditPurpose.OPINION)]
    assert texts == [None, "b", "c"]


async def test_edits_end_with_their_time_and_their_person(store: Store) -> None:
    old = edit("old")
    old.saved_at = now() - timedelta(days=15)
    await store.edits.save(old, 0)
    member = await store.members.add("Bob")
    await store.edits.save(edit("b", Person(member.id, "Bob")), 0)
    assert await store.edits.expire(now() - timedelta(days=14)) == 1
    await store.members.remove(member.id)
    assert await store.edits.of("d", member.id, DECISION) is None


async def test_a_reservation_never_shortens_a_claim_nor_takes_anothers(store: Store) -> None:
    at = now()
    await store.decisions.claim("d", ADA, at + timedelta(minutes=30), at)
    await store.decisions.reserve("d", ADA, at + PRESENT, at)
    await store.decisions.reserve("d", BOB, at + PRESENT, at)
    draft = await store.drafts.get("d")
    assert (draft.claimed_by, draft.claimed_until) == (ADA.id, at + timedelta(minutes=30))
    with pytest.raises(ClaimedByOther):
        await store.decisions.decide(decision(BOB), None, if_unclaimed=True)
    await store.decisions.release("d", ADA, before=at + PRESENT)
    assert (await store.drafts.get("d")).claimed_by == ADA.id
    await store.decisions.release("d", ADA)
    await store.decisions.reserve("d", BOB, at + PRESENT, at)
    assert (await store.drafts.get("d")).claimed_by == BOB.id


async def test_who_is_present_is_forgotten_after_a_while(store: Store) -> None:
    at = now()
    await store.presence.note("d", ADA, at - PRESENT - timedelta(seconds=1))
    await store.presence.note("d", BOB, at)
    assert await store.presence.of_many(["d"], at) == {"d": [BOB]}
    await store.presence.forget("d", BOB)
    assert await store.presence.of_many(["d"], at) == {}
