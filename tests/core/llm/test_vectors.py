"""What an endpoint's `/embeddings` sends, from a real server."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadReply, ModelRefused, ModelUnavailable
from core.llm.openai import OpenAILLM
from tests.fakes import FakeEmbedder
from tests.servers.embeddings import EmbeddingServer


def llm_at(base_url: str) -> OpenAILLM:
    return OpenAILLM(base_url=base_url, api_key="sk-1", model="m", max_retries=0)


async def test_vectors_come_in_the_order_of_the_texts_with_what_they_cost(embedding_server: EmbeddingServer) -> None:
    llm = llm_at(embedding_server.base_url)
    reply = await llm.embed(["one", "two", "three"], 96)
    expected = FakeEmbedder(dimension=96).embed(["one", "two", "three"])
    np.testing.assert_allclose(reply.value, expected, atol=1e-6)
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (1, 3)
    await llm.aclose()


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("nan", "not finite"),
        ("zeros", "vector of zeros"),
        ("count", "1 vectors for 2 texts"),
        ("numbers", "cannot be matched"),
        ("malformed", "malformed embeddings"),
        ("list", "not an object"),
        ("length", r"624 tokens.*Lower `embedding\.max_tokens` in the models file"),
    ],
)
async def test_what_cannot_be_used_is_refused(embedding_server: EmbeddingServer, fault: str, complaint: str) -> None:
    embedding_server.fault = fault
    llm = llm_at(embedding_server.base_url)
    with pytest.raises(BadReply, match=complaint):
        await llm.embed(["one", "two"], 96)
    await llm.aclose()


async def test_another_dimension_than_is_stated_is_refused_with_advice(embedding_server: EmbeddingServer) -> None:
    llm = llm_at(embedding_server.base_url)
    with pytest.raises(BadReply, match=r"96 numbers in place of 80.*embedding\.dimension.*edumod course embed"):
        await llm.embed(["one"], 80)
    await llm.aclose()


async def test_an_endpoint_that_refuses_or_is_not_there_is_told_apart(embedding_server: EmbeddingServer) -> None:
    embedding_server.fault = "error"
    refusing, absent = llm_at(embedding_server.base_url), llm_at("http://127.0.0.1:9/v1")
    with pytest.raises(ModelRefused, match="out of order"):
        await refusing.embed(["one"], 96)
    with pytest.raises(ModelUnavailable):
        await absent.embed(["one"], 96)
    await refusing.aclose()
    await absent.aclose()
