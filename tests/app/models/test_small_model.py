"""The whole service with a real small model, SmolLM2, in the profile `small`.

Nobody expects it to be right: every reply ends in a typed outcome, within the limits of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipelines import PIPELINES
from tests.app.live import live
from tests.app.models.test_models import listed
from tests.servers.llama import SMOLLM_CONTEXT, LlamaServer
from tests.sweeps import choose

PROMPT_TOKENS = 1_900
REPLY_TOKENS = 240
ASKED = {"course": "small", "question": {"body": "When is homework 3 due, and what is a missing value?"}}
TYPED = ("bad-reply", "model-declined", "model-timeout", "run-timeout", "missing-capability")
"""Failures that a small model may end in. A prompt that exceeds its context is not among them."""
ALIASES: dict[str, tuple[str, ...]] = {"grammar": ("tools", "json_schema", "logprobs"), "words": ("logprobs",)}
"""By the capabilities that the models file lists: with a grammar of the server, and with the schema in the prompt."""


@pytest.fixture(scope="module")
def client(home: Path, tmp_path_factory: pytest.TempPathFactory, smollm: LlamaServer) -> Iterator[httpx.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SMOLLM_KEY", smollm.api_key)
        entries: dict[str, dict[str, Any]] = {
            alias: {
                "base_url": smollm.base_url, "api_key_env": "SMOLLM_KEY", "model": smollm.model, "profile": "small",
                "context": SMOLLM_CONTEXT, "prompt_tokens": PROMPT_TOKENS, "capabilities": capabilities,
                "parameters": {"max_tokens": REPLY_TOKENS}, "deadline_seconds": 120,
            }
            for alias, capabilities in ALIASES.items()
        }  # fmt: skip
        settings = listed(tmp_path_factory.mktemp("small-model"), entries, llm_cache=False, deadline_seconds=400)
        with live(settings.model_copy(update={"home": home, "database_url": None})) as client:
            client.timeout = 500
            yield client


def check(reply: httpx.Response) -> str:
    """How it ended: a failure is a typed one of the model, and no prompt was longer than the model's."""
    body = reply.json()
    if reply.status_code != 200:
        kind = body["type"].rpartition(":")[2]
        assert kind in TYPED, body
        return str(kind)
    for step in body["trace"]:
        if step["usage"] and step["usage"]["calls"] == 1:
            assert 0 < step["usage"]["prompt_tokens"] <= PROMPT_TOKENS, step
            assert step["usage"]["completion_tokens"] <= REPLY_TOKENS, step
    return str(body["status"])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("pipeline", choose([pipeline.name for pipeline in PIPELINES], "fc"))
def test_every_pipeline_ends_in_a_typed_outcome_within_the_limits_of_the_model(
    client: httpx.Client, pipeline: str
) -> None:
    check(client.post(f"/answer?pipeline={pipeline}&model=grammar&seed=1", json=ASKED))


@pytest.mark.slow
def test_without_a_grammar_the_schema_is_in_the_prompt(client: httpx.Client) -> None:
    check(client.post("/answer?pipeline=edison&model=words&seed=1", json=ASKED))
