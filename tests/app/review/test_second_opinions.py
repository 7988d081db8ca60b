"""Second opinions, handing over, and what the quality page says of agreement and confidence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.review.learning import Lesson
from app.review.quality import agreement_of, quality_of
from core.access import Permission
from core.review import Outcome
from core.store.tables import DecisionRow, DraftRow, DraftState, now
from tests.app.people.actors import headers, made_key
from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide
from tests.app.review.test_decisions import ta_of


@pytest.fixture
def other(review_home: Path) -> dict[str, str]:
    """A second reviewer."""
    scopes = (Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
    return headers(made_key(review_home, *scopes, courses=("small", "quick"), name="a second reviewer"))


def test_a_second_reviewer_decides_without_seeing_the_first_decision(
    reviewing: httpx.Client, ask: Ask, other: dict[str, str]
) -> None:
    draft = ask("quick")
    decide(reviewing, draft, text="The first words.")
    where = f"/review/{draft['id']}"
    assert "Give a second opinion" not in reviewing.get(where).text
    assert "second=1" in reviewing.get(where, headers=other).text
    form = reviewing.get(f"{where}?second=1", headers=other).text
    assert "The first words." not in form
    assert 'value="other"' in form
    sent = reviewing.post(where, data={"do": "other", "final": "The second words."}, headers=other)
    assert sent.status_code == 303
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == "The first words."
    assert "second opinions have the outcome of the first" in reviewing.get("/courses/quick/quality").text
    assert reviewing.post(where, data={"do": "other-discard"}, headers=other).status_code == 303
    assert reviewing.post(where, data={"do": "other"}).status_code == 409


def test_a_draft_is_handed_over_to_a_colleague_on_its_page(
    reviewing: httpx.Client, review_home: Path, ask: Ask
) -> None:
    draft = ask()
    colleague = asyncio.run(ta_of(review_home))
    page = reviewing.get(f"/review/{draft['id']}").text
    assert f'<option value="{colleague.id}">{colleague.name}</option>' in page
    reviewing.post(f"/review/{draft['id']}", data={"do": "claim", "to": colleague.id})
    assert reviewing.get(f"/drafts/{draft['id']}").json()["claim"]["by"] == colleague.name
    assert "Hand over" not in reviewing.get(f"/review/{draft['id']}").text


def decision(draft: str, outcome: Outcome, **fields: Any) -> DecisionRow:
    return DecisionRow(
        id=f"{draft}-{fields.get('is_second', False)}", draft_id=draft, course_id="c", outcome=outcome,
        decided_by="p", decided_by_name="Priya", final_at=now(), **fields,
    )  # fmt: skip


def test_agreement_counts_equal_outcomes_beyond_chance() -> None:
    outcomes = [Outcome.APPROVED, Outcome.EDITED, Outcome.DISCARDED, Outcome.APPROVED]
    first = [decision(str(n), one) for n, one in enumerate(outcomes)]
    same = [decision(str(n), one, is_second=True) for n, one in enumerate(outcomes)]
    found = agreement_of(first, same)
    assert (found.same.n, found.same.share.mean, found.alpha) == (4, 1.0, 1.0)
    other = [decision(str(n), Outcome.DISCARDED, is_second=True) for n in range(4)]
    differing = agreement_of(first, other)
    assert differing.same.share.mean == 0.25
    assert differing.alpha is not None
    assert differing.alpha < 0.1
    assert agreement_of(first, []).same.n == 0


def test_confidence_is_recalibrated_from_decisions() -> None:
    lessons = []
    for n in range(40):
        is_sure = n % 2 == 0
        outcome = Outcome.APPROVED if is_sure or n % 4 == 1 else Outcome.REWRITTEN
        draft = DraftRow(
            id=str(n),
            course_id="c",
            state=DraftState.DECIDED,
            response={"answer": "a"},
            confidence=0.95 if is_sure else 0.5,
        )
        lessons.append(Lesson(draft, decision(str(n), outcome)))
    found = {one.confidence: one.share for one in quality_of(lessons).recalibrated}
    assert found[0.5] == pytest.approx(0.5)
    assert found[0.95] == pytest.approx(1.0)
    assert 0.5 <= found[0.8] <= 1.0
    assert quality_of(lessons[:10]).recalibrated == []
