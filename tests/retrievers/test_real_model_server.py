"""The retrievers that ask a model, with llama.cpp's own server. Its weights are random, so what it says is noise."""

from __future__ import annotations

import pytest

from core.errors import ModelError, ModelRefused
from core.llm.base import Sampling
from core.llm.metered import Metered
from core.llm.openai import OpenAILLM
from retrievers.functions import retrieve
from retrievers.index.indexes import Indexes
from retrievers.options import RetrieverOptions
from retrievers.tasks import PickSections, ScoredItems, ScoreParts
from tests.retrievers.shelf import Shelf
from tests.retrievers.trees import plant
from tests.servers.llama import LlamaServer

MODEL_DRIVEN = ("vector_gen", "hier_gen")


@pytest.fixture
async def course(shelf: Shelf) -> None:
    for book in ("first", "second"):
        chapters = {f"Chapter {n}": {f"Part {n}.{m}": f"Dice number {m}." for m in range(3)} for n in range(2)}
        await plant(shelf, "ds", book, chapters)


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("name", MODEL_DRIVEN)
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_the_model_says_there_are_passages_or_a_typed_error(
    indexes: Indexes, llama_llm: OpenAILLM, name: str, seed: int
) -> None:
    metered = Metered(llama_llm, {})
    options = RetrieverOptions(sampling=Sampling(temperature=1.0, seed=seed))
    try:
        found = await retrieve(indexes, "ds", None, "dice", retriever=name, top_k=5, llm=metered, options=options)
    except ModelError as error:
        assert "tiny-random" in str(error)  # noqa: PT017
        return
    assert len({one.block_id for one in found}) == 5
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert metered.total.calls >= 1
    assert metered.total.prompt_tokens > 0


@pytest.mark.usefixtures("course")
async def test_every_passage_is_judged_by_log_probabilities(indexes: Indexes, llama_llm: OpenAILLM) -> None:
    metered = Metered(llama_llm, {})
    found = await retrieve(indexes, "ds", None, "dice", retriever="vector_gen", top_k=12, llm=metered)
    assert metered.total.calls == 12
    assert all(0 < one.score < 1 for one in found)


@pytest.mark.parametrize(
    "task",
    [PickSections(question="q", texts=("a", "b")), ScoreParts(question="q", heading_path="p", texts=("a", "b"))],
    ids=lambda task: task.name(),
)
async def test_the_schema_of_the_scores_is_understood(llama_llm: OpenAILLM, task: PickSections | ScoreParts) -> None:
    replies = 0
    for seed in range(6):
        try:
            reply = await llama_llm.run(task, Sampling(temperature=1.0, seed=seed))
        except ModelError:
            continue
        assert isinstance(reply.value, ScoredItems)
        replies += 1
    assert replies


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("name", MODEL_DRIVEN)
async def test_a_wrong_key_is_an_error_and_no_ranking(indexes: Indexes, llama: LlamaServer, name: str) -> None:
    llm = llama.llm(api_key="wrong")
    with pytest.raises(ModelRefused, match="EDUMOD_LLM_API_KEY"):
        await retrieve(indexes, "ds", None, "dice", retriever=name, top_k=5, llm=llm)
    await llm.aclose()
