"""Fifty people decide the same drafts at once, on each kind of database: nothing is lost, nothing counts twice."""

from __future__ import annotations

import asyncio

from sqlalchemy import text

from app.review.deciding import DraftReview, Reviewer
from app.review.schemas import DecisionIn
from core.access import Person
from core.errors import AlreadyDecided
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, WebhookRow

PEOPLE, DRAFTS = 50, 20


async def test_one_decision_of_each_draft_counts_and_is_announced_once(database_url: str) -> None:
    store = await Store.open(database_url)
    await store.courses.put("c", {"id": "c"})
    await store.outbox.subscribe(WebhookRow(id="w", course_id="c", url="http://127.0.0.1:9/", secret="s"))
    ids = [f"draft-{n}" for n in range(DRAFTS)]
    answered = {"answer": "On Thursday [1]."}
    for one in ids:
        await store.drafts.begin(DraftRow(id=one, course_id="c", state=DraftState.PENDING, response=answered))
    accepted: list[tuple[str, str]] = []
    refused = 0

    async def person(n: int) -> None:
        nonlocal refused
        me = Reviewer(Person(f"person-{n}", f"Person {n}"))
        # Each starts elsewhere, and meets all others.
        for draft_id in ids[n % DRAFTS :] + ids[: n % DRAFTS]:
            try:
                decision = await DraftReview(store).decide(draft_id, DecisionIn(text=f"The text of person {n}."), me)
                accepted.append((draft_id, decision.id))
            except AlreadyDecided as error:
                refused += error.decision["draft_id"] == draft_id

    await asyncio.gather(*(person(n) for n in range(PEOPLE)))
    kept = await store.decisions.of_many(ids)
    async with store.database.read() as connection:
        announced = (await connection.execute(text("SELECT draft_id FROM delivery"))).scalars().all()
    rows = await store.decisions.of_course("c")
    await store.aclose()
    assert sorted(accepted) == sorted((one.draft_id, one.id) for one in kept.values())
    assert (len(accepted), refused, len(rows)) == (DRAFTS, (PEOPLE - 1) * DRAFTS, DRAFTS)
    assert sorted(announced) == sorted(ids)
