"""Replies that a judge cannot use, from a real endpoint: unscored with the reason, never 0."""

from __future__ import annotations

import json

import pytest

from judging import judge_named
from judging.answers import JudgedAnswer
from tests.core.llm.endpoint import served
from tests.servers.faults import Act, said

ITEM = JudgedAnswer(id="a", question="What does a left join keep?", reference="All rows.", answer="Every row.")


def verdict(score: object) -> str:
    return json.dumps({"reasons": "R.", "quotes": [], "core": [], "missing": [], "extra": [], "score": score})


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (said(verdict(9)), "less than or equal to 5"),
        (said(verdict("five")), "does not fit the schema"),
        (said("A fine answer, I would give it four points."), "does not fit the schema"),
        (said(verdict(4)[:40], "length"), "truncated"),
        (said(None, refusal="I cannot grade this."), "refused the task"),
        (said("", "content_filter"), "content filter"),
    ],
    ids=["out of range", "no number", "prose", "truncated", "refusal", "filtered"],
)
async def test_a_reply_that_cannot_be_used_is_unscored_with_the_reason(act: Act, reason: str) -> None:
    async with served(act) as (llm, _):
        score = await judge_named("teaching_points").judge(ITEM, llm)
    assert score.value is None
    assert score.unscored is not None
    assert reason in score.unscored


async def test_a_reply_that_is_corrected_on_request_is_scored() -> None:
    async with served(said(verdict(9)), said(verdict(5))) as (llm, server):
        score = await judge_named("teaching_points").judge(ITEM, llm)
    assert (score.value, len(server.requests)) == (5, 2)
