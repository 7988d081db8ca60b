"""The whole service with llama.cpp's own server behind it. The model's weights are random, so what it says is noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ModelRefused
from pipelines import PIPELINES
from tests.app.live import live, settings_in
from tests.servers.llama import LlamaServer
from tests.sweeps import choose

SEEDS = range(6)
DEMANDED: dict[str, tuple[str, ...]] = {
    "edison": ("search", "write"),
    "fc": ("choose", "write"),
    "fc_categorize": ("choose", "write"),
    "fc_forced": ("choose", "search", "write"),
    "fc_iterative": ("choose", "search", "choose", "write"),
    "fc_feedback": ("choose", "search", "write"),
    "fc_multihop": ("choose", "write"),
}
"""Steps that stand in every trace of a pipeline, in this order, maybe with others between them."""


def holds(steps: list[str], demanded: tuple[str, ...]) -> bool:
    """True where the demanded steps come in that order."""
    rest = iter(steps)
    return all(step in rest for step in demanded)


def test_every_pipeline_is_looked_at() -> None:
    assert DEMANDED.keys() == {pipeline.name for pipeline in PIPELINES}


@pytest.mark.parametrize("pipeline", choose(DEMANDED.keys(), "fc_categorize"))
def test_every_answer_is_a_cited_draft_or_a_typed_problem(home: Path, llama: LlamaServer, pipeline: str) -> None:
    settings = settings_in(
        home, llm_base_url=llama.base_url, llm_api_key=llama.api_key, llm_model=llama.model, llm_cache=False
    )
    with live(settings) as client:
        question = {"course": "small", "question": {"body": "When is homework 3 due?"}}
        replies = [
            client.post(f"/answer?pipeline={pipeline}&temperature=1&seed={seed}", json=question) for seed in SEEDS
        ]
    answered = [reply.json() for reply in replies if reply.status_code == 200]
    assert {reply.status_code for reply in replies} <= {200, 502}
    assert answered, [reply.json()["detail"] for reply in replies]
    for body in answered:
        assert body["configuration"]["model"] == llama.model
        assert body["configuration"]["pipeline"] == pipeline
        assert holds([step["kind"] for step in body["trace"]], DEMANDED[pipeline])
        assert body["usage"]["completion_tokens"] > 0
        assert body["function_calls"] or "search" not in DEMANDED[pipeline]
    for reply in replies:
        if reply.status_code == 502:
            assert reply.json()["draft_id"]


def test_a_wrong_key_names_the_setting_to_correct_in_the_log_alone(
    home: Path, llama: LlamaServer, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_in(home, llm_base_url=llama.base_url, llm_api_key="wrong", llm_model=llama.model)
    with live(settings) as client:
        reply = client.post("/answer", json={"course": "small", "question": {"body": "Why?"}})
    assert (reply.status_code, reply.json()["detail"]) == (502, ModelRefused.sentence)
    assert "EDUMOD_LLM_API_KEY" in caplog.text
