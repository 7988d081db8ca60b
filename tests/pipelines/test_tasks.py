"""What pipelines ask a language model, and which replies they take."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from core.errors import BadReply
from core.types import Question
from pipelines.tasks import Review, ReviewDraft, WriteAnswer, WrittenAnswer
from tests.core.llm.endpoint import served
from tests.pipelines.runs import review, written
from tests.servers.faults import said

WRITE = WriteAnswer(course="DS 101", question=Question(body="Why?"), passages=())
REVIEW = ReviewDraft(course="DS 101", question=Question(body="Why?"), passages=(), draft="So.")


def reply(value: BaseModel, **changed: float) -> str:
    return json.dumps(value.model_dump(mode="json") | changed)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
async def test_a_confidence_or_score_that_is_no_number_is_repaired(number: float) -> None:
    async with served(said(reply(written(), confidence=number)), said(reply(written()))) as (llm, server):
        assert isinstance((await llm.run(WRITE)).value, WrittenAnswer)
        assert "confidence" in server.requests[1]["messages"][-1]["content"]
    async with served(said(reply(review(0.5), score=number)), said(reply(review(0.5)))) as (llm, server):
        assert isinstance((await llm.run(REVIEW)).value, Review)
        assert "score" in server.requests[1]["messages"][-1]["content"]


async def test_a_confidence_that_stays_no_number_is_a_bad_reply() -> None:
    async with served(said(reply(written(), confidence=float("nan")))) as (llm, _):
        with pytest.raises(BadReply, match="confidence"):
            await llm.run(WRITE)
