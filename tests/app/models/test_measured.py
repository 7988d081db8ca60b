"""What `edumod doctor` finds out about a model is remembered, and used when it is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.doctor.models import model_checks
from app.doctor.probes import probe
from app.models.measured import ModelMeasurements, measured_key, read_measured, remember
from core.llm.catalogue import Capability
from core.llm.formats import ReplyFormat
from core.llm.openai import OpenAILLM
from tests.app.models.test_models import builder, listed
from tests.servers.faults import said, serving, unused_url

WEATHER = '{"city": "Oslo", "warm": false}'


def without_grammar(request: httpx2.Request) -> httpx2.Response:
    """A server that takes every format and heeds none: its model gives an object if it has read the schema."""
    body: dict[str, Any] = json.loads(request.content)
    reads_schema = "JSON Schema" in body["messages"][0]["content"] and "response_format" not in body
    text = WEATHER if reads_schema else "It is rather cold in Oslo."
    message = {"role": "assistant", "content": text}
    return httpx2.Response(200, json={"choices": [{"finish_reason": "stop", "message": message}]})


async def test_a_server_that_ignores_formats_gets_the_schema_in_words_from_then_on() -> None:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(without_grammar))
    llm = OpenAILLM(base_url="http://h/v1", api_key="", model="m", max_retries=0, http_client=client)
    found = await probe(llm)
    assert llm.format is ReplyFormat.TEXT
    assert found[Capability.JSON_SCHEMA].has is False
    await llm.aclose()


def test_what_was_found_is_used_for_the_alias_until_it_stands_for_something_else(tmp_path: Path) -> None:
    url = unused_url()
    settings = listed(tmp_path, {"a": {"base_url": url, "profile": "small"}}, llm_cache=False)
    remember(
        tmp_path, {measured_key("a", url, "m"): ModelMeasurements(format=ReplyFormat.JSON_MODE, reading=50, writing=10)}
    )
    model = builder(settings).build()["a"]
    assert isinstance(model.llm, OpenAILLM)
    assert model.llm.format is ReplyFormat.JSON_MODE
    assert model.limits.answer_seconds == pytest.approx(4 * 2 * (2_500 / 50 + 700 / 10))
    other = listed(tmp_path, {"a": {"base_url": unused_url(), "profile": "small"}}, llm_cache=False)
    assert builder(other).build()["a"].limits.answer_seconds is None


async def test_doctor_measures_a_small_model_and_remembers_it(tmp_path: Path) -> None:
    async with serving(said(WEATHER)) as server:
        entry = {"base_url": server.base_url, "profile": "small", "capabilities": []}
        checks = await model_checks(listed(tmp_path, {"a": entry}))
    (check,) = [one for one in checks if one.name == "model"]
    assert "tokens per second" in check.finding
    remembered = read_measured(tmp_path)[measured_key("a", server.base_url, "m")]
    assert remembered == check.measured
    assert remembered.speed is not None
    asked = [part for body in server.requests for part in body["messages"][-1]["content"] if isinstance(part, dict)]
    assert [part["type"] for part in asked] == ["image_url"], "a part without text is refused by some servers"


def test_a_broken_memory_is_no_reason_to_fail(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "measured.json").write_text("{")
    assert read_measured(tmp_path) == {}
    assert "edumod doctor" in caplog.text
