"""Drafts approved together: only where the course's own decisions say so, and never all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.response import AnswerResponse, ConfigurationOut
from app.review.bulk import BulkResult, approve_sure
from app.review.deciding import DraftReview, Reviewer
from app.review.learning import Learning, Lesson
from core.access import Person
from core.course import Course
from core.errors import NotFound
from core.llm.offline import OFFLINE_MODEL
from core.review import Outcome
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, DraftState
from core.types import Answer, Doubt, Status, Usage
from pipelines.configuration import resolve
from tests.app.review.test_second_opinions import decision

ME = Reviewer(Person("ada", "Ada"))


def response(status: Status = Status.ANSWERED, **fields: Any) -> dict[str, Any]:
    configuration = ConfigurationOut.of(resolve(Course(id="c").defaults.model_dump(), {}, OFFLINE_MODEL))
    given = AnswerResponse.of(
        Answer(status=status, markdown="See page 2."), configuration=configuration, function_calls=(), usage=Usage(),
        draft_id="", trace_id=None, trace=(),
    )  # fmt: skip
    return given.model_copy(update={"doubts": (), **fields}).model_dump(mode="json")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite:///{tmp_path / 'bulk.db'}")
    await opened.courses.put("c", {"id": "c"})
    yield opened
    await opened.aclose()


def taught(store: Store, count: int) -> Learning:
    """A course with that many approved drafts of a confidence of .9."""
    drafts = [
        DraftRow(id=f"old-{n}", course_id="c", state=DraftState.DECIDED, response={"answer": "a"}, confidence=0.9)
        for n in range(count)
    ]
    lessons = [Lesson(draft, decision(draft.id, Outcome.APPROVED)) for draft in drafts]

    async def read(_course: str) -> list[Lesson]:
        return lessons

    return cast(Learning, SimpleNamespace(store=store, lessons=read))


async def waiting(store: Store, name: str, confidence: float, **fields: Any) -> str:
    await store.drafts.begin(
        DraftRow(id=name, course_id="c", state=DraftState.PENDING, response=response(**fields), confidence=confidence)
    )
    return name


async def test_sure_drafts_are_approved_but_for_a_sample_and_the_others_stay(store: Store) -> None:
    sure = [await waiting(store, f"sure-{n:02}", 0.95) for n in range(12)]
    others = [
        await waiting(store, "unsure", 0.2),
        await waiting(store, "abstained", 0.95, status=Status.ABSTAINED),
        await waiting(store, "doubtful", 0.95, doubts=(next(iter(Doubt)),)),
        await waiting(store, "warned", 0.95, warnings=("Look.",)),
    ]
    result = await approve_sure(DraftReview(store), taught(store, 100), [*sure, *others, "nope"], ME)
    assert result == BulkResult(approved=10, sample=2, unsure=4, gone=1)
    states = [(await store.drafts.get(one)).state for one in (*sure, *others)]
    assert states.count(DraftState.DECIDED) == 10
    assert [(await store.drafts.get(one)).state for one in others] == [DraftState.PENDING] * 4


class Forgetful(DraftReview):
    """Somebody deletes a draft while it is decided."""

    async def decide(self, draft_id: str, *args: Any, **more: Any) -> DecisionRow:
        if draft_id == "sure-2":
            raise NotFound("There is no such draft.")
        return await super().decide(draft_id, *args, **more)


async def test_a_draft_that_is_deleted_meanwhile_stops_nothing(store: Store) -> None:
    sure = [await waiting(store, f"sure-{n}", 0.95) for n in range(5)]
    result = await approve_sure(Forgetful(store), taught(store, 100), sure, ME)
    assert result == BulkResult(approved=3, sample=1, gone=1)


async def test_without_enough_decisions_nothing_is_approved(store: Store) -> None:
    sure = [await waiting(store, f"sure-{n}", 0.99) for n in range(3)]
    assert await approve_sure(DraftReview(store), taught(store, 10), sure, ME) == BulkResult(unsure=3)
