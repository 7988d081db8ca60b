"""Vector hits ordered by what a model says of each."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadReply, MissingCapability
from core.llm.base import Sampling
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.types import Passage
from retrievers.index.indexes import Indexes
from retrievers.options import RetrieverOptions
from retrievers.tasks import IsRelevant
from retrievers.vector import Vector
from retrievers.vector_gen import VectorGen
from tests.core.llm.endpoint import served
from tests.retrievers.shelf import Block, Shelf
from tests.retrievers.trees import Rounds
from tests.servers.faults import said

QUERY = "red green blue"
TEXTS = ["red green blue", "red green", "red"]


@pytest.fixture
async def course(shelf: Shelf) -> None:
    await shelf.add("ds", "book", TEXTS)


def judge(answers: dict[str, Any]) -> ScriptedLLM:
    """A model that knows the passages by the last line of what it is shown."""
    return ScriptedLLM({IsRelevant: [lambda task: answers[task.document.split("\n")[-1]]]})


async def found(indexes: Indexes, llm: Any, top_k: int = 5, **options: Any) -> list[Passage]:
    made = VectorGen(await indexes.get("ds"), top_k=top_k, llm=llm, options=RetrieverOptions(**options))
    return await made.search(QUERY)


@pytest.mark.usefixtures("course")
async def test_passages_are_ordered_by_the_probability_of_yes(indexes: Indexes) -> None:
    passages = await found(indexes, judge({"red green blue": 0.1, "red green": 0.9, "red": 0.5}))
    assert [(one.text, one.score) for one in passages] == [("red green", 0.9), ("red", 0.5), ("red green blue", 0.1)]


@pytest.mark.usefixtures("course")
async def test_equal_probabilities_keep_the_vector_order(indexes: Indexes) -> None:
    assert [one.text for one in await found(indexes, judge(dict.fromkeys(TEXTS, 0.5)))] == TEXTS


@pytest.mark.usefixtures("course")
async def test_the_model_sees_place_and_text_and_the_sampling_of_the_request(indexes: Indexes) -> None:
    llm = judge(dict.fromkeys(TEXTS, 0.5))
    await found(indexes, llm, sampling=Sampling(model="m"))
    assert llm.tasks[0] == IsRelevant(question=QUERY, document="book\n\nred green blue")
    assert {one.model for one in llm.samplings} == {"m"}


async def test_fifteen_are_asked_about_in_one_round_and_the_others_follow(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "book", [Block("red" + " other" * n, f"H{n}") for n in range(40)])
    llm = Rounds(ScriptedLLM({IsRelevant: [0.4]}))
    passages = await found(indexes, llm, top_k=40)
    assert llm.sizes == [15]
    vector = await Vector(await indexes.get("ds"), top_k=40).search(QUERY)
    assert [one.block_id for one in passages] == [one.block_id for one in vector]
    assert [one.score for one in passages] == sorted((one.score for one in passages), reverse=True)
    assert passages[14].score >= passages[15].score > 0


@pytest.mark.usefixtures("course")
async def test_a_passage_whose_call_failed_comes_below_those_that_were_judged(indexes: Indexes) -> None:
    passages = await found(indexes, judge({"red green blue": BadReply("prose"), "red green": 0.1, "red": 0.2}))
    assert [one.text for one in passages] == ["red", "red green", "red green blue"]
    assert passages[2].score <= passages[1].score


@pytest.mark.usefixtures("course")
async def test_where_all_calls_fail_the_first_error_is_raised(indexes: Indexes) -> None:
    with pytest.raises(BadReply, match="prose"):
        await found(indexes, judge(dict.fromkeys(TEXTS, BadReply("prose"))))


@pytest.mark.usefixtures("course")
async def test_a_backend_without_log_probabilities_is_named_with_the_remedy(indexes: Indexes) -> None:
    with pytest.raises(MissingCapability, match="EDUMOD_LLM_BASE_URL") as caught:
        await found(indexes, OfflineLLM({}))
    assert caught.value.capability == "logprobs"


@pytest.mark.usefixtures("course")
async def test_a_server_that_sends_no_log_probabilities_is_named(indexes: Indexes) -> None:
    async with served(said("yes")) as (llm, _):
        with pytest.raises(MissingCapability) as caught:
            await found(indexes, llm)
    assert caught.value.capability == "logprobs"


async def test_one_passage_and_none(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.store.courses.put("ds", {})
    assert await found(indexes, ScriptedLLM([])) == []
    await shelf.add("ds", "book", ["red"])
    assert [one.score for one in await found(indexes, judge({"red": 0.7}))] == [0.7]
