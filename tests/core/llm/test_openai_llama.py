"""The protocol as llama.cpp's server really speaks it. Its model's weights are random, so what it says is noise."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest
from pydantic import BaseModel

from core.errors import BadReply, ContextOverflow, MissingCapability, ModelRefused
from core.llm.base import Sampling
from core.llm.openai import OpenAILLM
from core.llm.task import CallResult, Choice, LabelTask, Task, ToolTask
from core.types import FunctionSpec, Passage, Position, Source, Visibility
from tests.core.llm.endpoint import IsRelevant, Say
from tests.servers.llama import LlamaServer

SEEDED = Sampling(temperature=1.0, seed=1)


class Reason(BaseModel):
    kind: Literal["form", "content"]
    weight: bool


class Grade(BaseModel):
    """A grade with all that a schema may hold: choices, optional parts, lists and models within models."""

    mark: Literal["pass", "fail"]
    certain: bool
    hint: Literal["more", "less"] | None
    reason: Reason
    labels: tuple[Literal["a", "b"], ...]


class GiveGrade(Task[Grade]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Grade the text."
    text: str = "2 + 2 = 4"


def function(name: str) -> FunctionSpec:
    parameters = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "part": {"enum": ["notes", "book"]}},
        "required": ["query", "part"],
        "additionalProperties": False,
    }
    return FunctionSpec(name=name, description=f"Search with {name}.", parameters=parameters)


class Choose(ToolTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Choose functions."
    functions: tuple[FunctionSpec, ...] = (function("textbook_retrieval"), function("qa_retrieval"))
    text: str = "What is a B-tree?"


PASSAGE = Passage(
    block_id="b1",
    document_id="d1",
    document="notes.md",
    title="Notes",
    source=Source.TEXTBOOK,
    visibility=Visibility.STUDENT,
    heading_path=("Trees", "B-trees"),
    text="A B-tree is a search tree.",
    position=Position(start=0, end=26),
    score=1.0,
)


async def test_a_text_comes_with_its_tokens_and_time(llama_llm: OpenAILLM, llama: LlamaServer) -> None:
    reply = await llama_llm.run(Say(), SEEDED)
    assert reply.value
    assert reply.model == llama.model
    assert reply.usage.calls == 1
    assert min(reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.model_ms) > 0


async def test_the_same_seed_gives_the_same_text(llama_llm: OpenAILLM) -> None:
    texts = [(await llama_llm.run(Say(), SEEDED)).value for _ in range(2)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("seed", range(5))
async def test_a_required_call_comes_and_fits_its_schema(llama_llm: OpenAILLM, seed: int) -> None:
    reply = await llama_llm.run(Choose(required=True), Sampling(temperature=1.0, seed=seed))
    assert reply.value.calls
    for call in reply.value.calls:
        assert call.name in ("textbook_retrieval", "qa_retrieval")
        assert call.arguments["part"] in ("notes", "book")
        assert call.id


async def test_the_model_may_choose_for_itself(llama_llm: OpenAILLM) -> None:
    reply = await llama_llm.run(Choose(), SEEDED)
    assert isinstance(reply.value, Choice)
    assert reply.usage.calls <= 3


async def test_earlier_rounds_of_calls_are_understood(llama_llm: OpenAILLM) -> None:
    first = await llama_llm.run(Choose(required=True), SEEDED)
    found = tuple(CallResult(call=call, passages=(PASSAGE,)) for call in first.value.calls)
    failed = tuple(CallResult(call=call, error="The index is being built.") for call in first.value.calls)
    for history in ((found,), (failed,)):
        second = await llama_llm.run(Choose(required=True, history=history), SEEDED)
        assert second.value.calls
        assert second.usage.prompt_tokens > first.usage.prompt_tokens
        assert not {call.id for call in second.value.calls} & {call.id for call in first.value.calls}


async def test_a_model_without_functions_is_found_out(llama_without_tools: LlamaServer) -> None:
    llm = llama_without_tools.llm()
    with pytest.raises(MissingCapability) as caught:
        await llm.run(Choose(required=True), SEEDED)
    assert caught.value.capability == "tools"
    await llm.aclose()


@pytest.mark.parametrize("seed", range(5))
async def test_a_structured_reply_fits_its_model(llama_llm: OpenAILLM, seed: int) -> None:
    reply = await llama_llm.run(GiveGrade(), Sampling(temperature=1.0, seed=seed))
    assert isinstance(reply.value, Grade)
    assert reply.usage.calls == 1


async def test_the_probability_comes_from_the_first_token(llama_llm: OpenAILLM) -> None:
    reply = await llama_llm.probability(IsRelevant())
    assert 0.0 < reply.value < 1.0
    assert reply.usage.completion_tokens == 1
    assert (await llama_llm.probability(IsRelevant())).value == pytest.approx(reply.value, abs=1e-3)


async def test_labels_share_the_probability_of_the_first_token(llama_llm: OpenAILLM) -> None:
    task = LabelTask(task=IsRelevant(), labels=("yes", "no"), closing="Reply with yes or no.")
    likely = (await llama_llm.run(task)).value.by_label
    assert set(likely) == {"yes", "no"}
    assert sum(likely.values()) == pytest.approx(1)


async def test_a_prompt_beyond_the_context_overflows_it(llama_llm: OpenAILLM) -> None:
    long = "x" * 40_000
    with pytest.raises(ContextOverflow):
        await llama_llm.run(Say(text=long))
    with pytest.raises(ContextOverflow):
        await llama_llm.run(GiveGrade(text=long))
    with pytest.raises(ContextOverflow):
        await llama_llm.run(Choose(text=long))


async def test_a_wrong_key_is_refused_without_being_shown(llama: LlamaServer) -> None:
    llm = llama.llm(api_key="sk-a-wrong-key-entirely")
    with pytest.raises(ModelRefused, match="EDUMOD_LLM_API_KEY") as caught:
        await llm.run(Say())
    assert "sk-a-wrong" not in str(caught.value)
    await llm.aclose()


async def test_a_url_without_its_path_is_explained(llama: LlamaServer) -> None:
    llm = OpenAILLM(base_url=llama.base_url + "/chat", api_key=llama.api_key, model=llama.model)
    with pytest.raises((ModelRefused, BadReply), match="EDUMOD_LLM_BASE_URL"):
        await llm.run(Say())
    await llm.aclose()
