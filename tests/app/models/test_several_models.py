"""The service and the commands with several models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.answering.question import asked_in
from app.doctor.check import CheckState
from app.doctor.models import model_checks
from app.schemas import AnswerRequest
from app.wiring import build_services
from core.access import LOCAL_ACCESS
from core.llm.breaker import MAX_FAILURES
from tests.app.answering.test_failing_endpoint import CHOICE, answer, asked, endpoint
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.models.test_models import listed
from tests.fakes import FakeEmbedder
from tests.servers.counting import counting
from tests.servers.embeddings import EmbeddingServer
from tests.servers.faults import called, failed, said, serving, unused_url
from tests.servers.llama import LlamaServer

SEEDS = range(12)


@contextmanager
def service(home: Path, folder: Path, entries: dict[str, dict[str, Any]], **values: Any) -> Iterator[httpx.Client]:
    """A running service on the courses of `home`, with a models file in `folder`."""
    settings = listed(folder, entries, llm_cache=False, **values).model_copy(update={"home": home})
    with live(settings) as client:
        yield client


def test_two_llama_servers_answer_in_one_process_each_at_its_price(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llama: LlamaServer, llama_without_tools: LlamaServer
) -> None:
    monkeypatch.setenv("TINY_KEY", llama.api_key)
    prices = {"a": {"input": 1.0, "output": 2.0}, "b": {"input": 30.0, "output": 40.0}}
    entries = {
        alias: {
            "base_url": server.base_url, "api_key_env": "TINY_KEY", "model": server.model, "prices": prices[alias],
            "concurrency": 1, "capabilities": ["json_schema"],
        }
        for alias, server in (("a", llama), ("b", llama_without_tools))
    }  # fmt: skip
    with service(home, tmp_path, entries) as client:
        for alias, price in prices.items():
            path = f"/answer?pipeline=edison&model={alias}&temperature=1&seed="
            replies = (client.post(f"{path}{seed}", json=asked()) for seed in SEEDS)
            body = next(reply.json() for reply in replies if reply.status_code == 200)
            usage = body["usage"]
            cost = usage["prompt_tokens"] * price["input"] + usage["completion_tokens"] * price["output"]
            assert usage["cost_usd"] == pytest.approx(cost / 1e6)
            assert body["configuration"]["model"] == alias
            assert {step["model"] for step in body["trace"] if step["model"]} == {alias}


@pytest.mark.slow
def test_two_llama_servers_get_as_many_requests_at_once_as_their_limits_allow(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llama: LlamaServer, llama_without_tools: LlamaServer
) -> None:
    monkeypatch.setenv("TINY_KEY", llama.api_key)
    known = {"api_key_env": "TINY_KEY", "model": llama.model, "capabilities": ["json_schema"]}
    with counting(llama.base_url) as a, counting(llama_without_tools.base_url) as b:
        entries = {
            "a": {"base_url": a.base_url, "concurrency": 1, **known},
            "b": {"base_url": b.base_url, "concurrency": 3, **known},
        }
        with service(home, tmp_path, entries) as client, ThreadPoolExecutor(len(SEEDS)) as pool:
            paths = [f"/answer?pipeline=edison&model={'ab'[seed % 2]}&seed={seed}" for seed in SEEDS]
            replies = pool.map(lambda path: client.post(path, json=asked()), paths)
            # What a model of random weights writes cannot always be read.
            assert {reply.status_code for reply in replies} <= {200, 502}
    assert a.requests >= len(SEEDS) // 2
    assert (a.most_under_way, b.most_under_way) == (1, 3)


def test_an_unknown_model_is_refused_with_the_names_of_those_there_are(home: Path, tmp_path: Path) -> None:
    with service(home, tmp_path, {"fast": {"base_url": unused_url()}}) as client:
        refused = client.post("/answer?model=fst", json=asked())
    assert (refused.status_code, refused.json()["allowed"]) == (422, ["fast", "offline"])
    assert "Did you mean 'fast'?" in refused.json()["detail"]


def test_offline_can_be_chosen_beside_models(home: Path, tmp_path: Path) -> None:
    with service(home, tmp_path, {"fast": {"base_url": unused_url()}}) as client:
        body = client.post("/answer?model=offline", json=asked()).json()
    assert (body["status"], body["configuration"]["model"]) == ("answered", "offline")
    assert {step["model"] for step in body["trace"] if step["model"]} == {"offline"}
    assert body["usage"]["cost_usd"] == 0


def test_a_missing_key_fails_the_questions_to_its_model_alone(home: Path, tmp_path: Path) -> None:
    with endpoint(CHOICE, answer()) as server:
        entries = {"a": {"base_url": server.base_url}, "b": {"base_url": server.base_url, "api_key_env": "NO_SUCH_KEY"}}
        with service(home, tmp_path, entries) as client:
            failing = client.post("/answer?model=b", json=asked())
            assert client.post("/answer?pipeline=fc&model=a", json=asked()).status_code == 200
            ready = client.get("/readyz")
    assert (failing.status_code, "NO_SUCH_KEY" in failing.text) == (500, False)
    checks = ready.json()["checks"]
    assert (checks["model"], checks["model b"]) == ("ok", "Its key is not set.")


def test_a_service_whose_default_model_has_no_key_is_not_ready(home: Path, tmp_path: Path) -> None:
    with service(home, tmp_path, {"a": {"base_url": unused_url(), "api_key_env": "NO_SUCH_KEY"}}) as client:
        ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["model"]) == (503, "Its key is not set.")


def test_a_command_is_silent_about_the_keys_of_models_that_it_does_not_ask(home: Path, tmp_path: Path) -> None:
    listed(tmp_path, {"a": {"base_url": unused_url(), "api_key_env": "NO_SUCH_KEY"}})
    done = edumod(home, "course", "list", EDUMOD_MODELS_FILE=str(tmp_path / "models.yaml"))
    assert (done.returncode, "NO_SUCH_KEY" in done.stderr) == (0, False)


def test_a_wrong_model_is_told_with_a_wrong_body(home: Path, tmp_path: Path) -> None:
    with service(home, tmp_path, {"a": {"base_url": unused_url()}}) as client:
        refused = client.post("/answer?model=b&pipeline=no", json={"course": "small"})
    wrong = [error["where"] for error in refused.json()["errors"]]
    assert (refused.status_code, wrong) == (422, ["query.pipeline", "query.model", "body.question"])


def test_a_wrong_name_is_told_with_a_wrong_number(home: Path, tmp_path: Path) -> None:
    with service(home, tmp_path, {"a": {"base_url": unused_url()}}) as client:
        refused = client.post("/answer?model=b&top_k=no&retriever.qa=no", json=asked())
    wrong = {error["where"] for error in refused.json()["errors"]}
    assert (refused.status_code, wrong) == (422, {"query.model", "query.top_k", "query.retriever.qa"})


def test_a_model_that_is_down_is_shown_without_its_address_and_leaves_the_service_ready(
    home: Path, tmp_path: Path
) -> None:
    with endpoint(failed(503)) as server:
        entries = {"a": {"base_url": unused_url()}, "b": {"base_url": server.base_url}}
        with service(home, tmp_path, entries) as client:
            for _ in range(2 * MAX_FAILURES):
                client.post("/answer?model=b", json=asked())
            shown = client.get("/readyz").json()["checks"]
    assert list(shown) == ["database", "embedding", "model", "model b"]
    assert shown["model"] == "ok"
    assert "could not be reached" in shown["model b"] or shown["model b"] == "ok"
    assert "127.0.0.1" not in json.dumps(shown)


async def test_a_question_under_way_ends_with_the_models_it_began_with(home: Path, tmp_path: Path) -> None:
    choices = {"pipeline": "fc", "model": "a"}
    async with serving(CHOICE, answer("Old [1].")) as old, serving(CHOICE, answer("New [1].")) as new:
        settings = listed(tmp_path, {"a": {"base_url": old.base_url}}, llm_cache=False)
        services = await build_services(settings.model_copy(update={"home": home}), embedder=FakeEmbedder())
        question = await asked_in(AnswerRequest.model_validate(asked()), services.settings, LOCAL_ACCESS)
        under_way = asyncio.create_task(services.answering.answer(question, choices))
        asked_old = asyncio.create_task(old.asked.wait())
        await asyncio.wait([under_way, asked_old], return_when=asyncio.FIRST_COMPLETED)
        assert asked_old.done()
        listed(tmp_path, {"a": {"base_url": new.base_url}})
        services.reload_models()
        assert "Old" in (await under_way).answer
        assert "New" in (await services.answering.answer(question, choices)).answer
        await services.aclose()
    assert (len(old.requests), len(new.requests)) == (2, 2)


async def test_a_wrong_file_changes_nothing_and_is_logged_with_its_line(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = listed(tmp_path, {"a": {"base_url": unused_url()}}).model_copy(update={"home": home})
    services = await build_services(settings, embedder=FakeEmbedder())
    before = services.models
    listed(tmp_path, "models:\n  a: {base_url: nonsense, model: m}\n")
    services.reload_models()
    assert services.models is before
    await services.aclose()
    assert "models.yaml line 2: models.a.base_url: is not a URL" in caplog.text


async def test_the_doctor_sees_what_each_model_can_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llama: LlamaServer, llama_without_tools: LlamaServer
) -> None:
    monkeypatch.setenv("TINY_KEY", llama.api_key)
    known = {"api_key_env": "TINY_KEY", "model": llama.model}
    entries = {
        "able": {"base_url": llama.base_url, **known},
        "toolless": {"base_url": llama_without_tools.base_url, **known},
        "keyless": {"base_url": llama.base_url, "api_key_env": "NO_SUCH_KEY"},
        "away": {"base_url": unused_url()},
    }
    checks = {check.name: check for check in await model_checks(listed(tmp_path, entries))}
    able, toolless = checks["model"], checks["model toolless"]
    assert [checks[f"model {name}"].state for name in ("keyless", "away")] == [CheckState.ERROR, CheckState.ERROR]
    assert "NO_SUCH_KEY" in checks["model keyless"].finding
    assert {name.value: one.has for name, one in able.capabilities.items()} == {
        "tools": True, "json_schema": True, "logprobs": True, "vision": False,
    }  # fmt: skip
    assert able.state is CheckState.OK
    assert toolless.capabilities["tools"].has is False  # type: ignore[index]
    assert (toolless.state, "Remove tools" in toolless.remedy) == (CheckState.WARNING, True)


async def test_the_doctor_names_json_schema_and_vision_by_how_the_server_takes_them(tmp_path: Path) -> None:
    fine = said("fine")
    weather = said(json.dumps({"city": "Oslo", "warm": True}))
    acts = (fine, called(("weather", {"city": "Oslo"})), failed(400, "no response_format"), weather, fine, fine)
    async with serving(*acts) as server:
        (check,) = await model_checks(settings_in(tmp_path, llm_base_url=server.base_url))
    assert "can: tools, vision; cannot: json_schema, logprobs" in check.finding
    assert server.requests[-1]["messages"][1]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,")


async def test_the_doctor_asks_the_embedding_models_of_the_file_too(
    tmp_path: Path, embedding_server: EmbeddingServer
) -> None:
    entry = {"base_url": embedding_server.base_url, "model": "e"}
    entries = {
        "fits": {**entry, "embedding": {"dimension": 96}},
        "lies": {**entry, "embedding": {"dimension": 64}},
        "keyless": {**entry, "api_key_env": "NO_SUCH_KEY", "embedding": {"dimension": 96}},
    }
    checks = {check.name: check for check in await model_checks(listed(tmp_path, entries))}
    fits, lies, keyless = (checks[f"embedding model {name}"] for name in entries)
    assert (fits.state, fits.finding) == (CheckState.OK, f"e at {embedding_server.base_url}: 96 dimensions")
    assert (lies.state, "96 numbers in place of 64" in lies.finding) == (CheckState.ERROR, True)
    assert (keyless.state, "NO_SUCH_KEY" in keyless.finding) == (CheckState.ERROR, True)


def test_the_doctor_names_the_line_of_a_wrong_models_file(tmp_path: Path) -> None:
    listed(tmp_path, "models: {a: {}}")
    checks = json.loads(edumod(tmp_path, "doctor", "--json", EDUMOD_MODELS_FILE=str(tmp_path / "models.yaml")).stdout)
    assert (checks["model"]["state"], checks["model"]["capabilities"]) == ("error", {})
    assert "models.yaml line 1: models.a.base_url" in checks["model"]["finding"]


def test_a_command_names_the_line_of_a_wrong_models_file(tmp_path: Path) -> None:
    listed(tmp_path, "models: {a: {}}")
    failed_ = edumod(tmp_path, "serve", EDUMOD_MODELS_FILE=str(tmp_path / "models.yaml"))
    assert (failed_.returncode, "Traceback" in failed_.stderr) == (2, False)
    assert "models.a.base_url" in " ".join(failed_.stderr.split())
