"""Several models: each alias has its own endpoint, key, parameters, limit, breaker, cache and cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.models.chat import ModelBuilder, environment
from app.models.embeddings import AliasEndpoints
from core.errors import InvalidInput, MissingCapability, ModelUnavailable, SetupError, UnknownName
from core.llm.base import Sampling
from core.llm.breaker import MAX_FAILURES
from core.llm.metered import Metered
from core.llm.models import Models
from core.llm.offline import OfflineLLM
from core.llm.task import LabelTask
from core.settings import ModelPrice, Settings, read_settings
from tests.app.live import settings_in
from tests.core.llm.endpoint import GOOD_CALL, Choose, GiveGrade, IsRelevant, Say
from tests.servers.faults import Act, failed, said, serving, unused_url

GRADE = said(json.dumps({"mark": "pass", "reasons": []}))


def listed(folder: Path, text: str | Mapping[str, Mapping[str, Any]], **values: Any) -> Settings:
    """Settings with a models file; given as a mapping, each alias is asked for the model `m`."""
    if not isinstance(text, str):
        text = json.dumps({"models": {alias: {"model": "m", **entry} for alias, entry in text.items()}})
    path = folder / "models.yaml"
    path.write_text(text, encoding="utf-8")
    return settings_in(folder, models_file=path, llm_max_retries=0, **values)


def builder(settings: Settings, **variables: str) -> ModelBuilder:
    return ModelBuilder(settings, OfflineLLM({Say: lambda task: "by rule"}), variables=lambda: variables)


async def say(models: Models, alias: str | None, **sampling: Any) -> str:
    return (await models.run(Say(), Sampling(model=alias, **sampling))).value


async def test_processes_divide_what_an_endpoint_allows_in_all(tmp_path: Path) -> None:
    processes = [4]
    async with serving(Act(said("fine").body, wait=0.1)) as server:
        settings = listed(tmp_path, {"a": {"base_url": server.base_url, "total_concurrency": 4}}, llm_cache=False)
        models = replace(builder(settings), processes=lambda: processes[0]).build()
        await asyncio.gather(*(say(models, "a", seed=seed) for seed in range(3)))
        assert server.most_under_way == 1
        processes[0] = 2
        await asyncio.gather(*(say(models, "a", seed=seed) for seed in range(6)))
        assert server.most_under_way == 2
        await models.aclose()


async def test_each_alias_is_asked_at_its_endpoint_with_its_key_and_model(tmp_path: Path) -> None:
    async with serving(said("from a")) as a, serving(said("from b")) as b:
        entries = {
            "a": {"base_url": a.base_url, "api_key_env": "KEY_A", "model": "small"},
            "b": {"base_url": b.base_url},
        }
        models = builder(listed(tmp_path, entries), KEY_A="sk-a").build()
        assert [await say(models, alias) for alias in ("a", "b", None, "offline")] == [
            "from a",
            "from b",
            "from a",
            "by rule",
        ]
        await models.aclose()
    assert (models.model, models.names) == ("a", ("a", "b", "offline"))
    assert ([one["model"] for one in a.requests], [one["model"] for one in b.requests]) == (["small"], ["m"])
    assert (a.headers[0]["authorization"], b.headers[0]["authorization"]) == ("Bearer sk-a", "Bearer none")


async def test_an_unknown_alias_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    models = builder(listed(tmp_path, {"fast": {"base_url": unused_url()}})).build()
    with pytest.raises(UnknownName, match=r"There is no model 'fst'. Did you mean 'fast'\? Allowed: fast, offline"):
        await say(models, "fst")


async def test_a_missing_key_is_named_at_first_use_and_stops_no_other_model(tmp_path: Path) -> None:
    async with serving(said("fine")) as server:
        entries = {"a": {"base_url": server.base_url, "api_key_env": "KEY_A"}, "b": {"base_url": server.base_url}}
        models = builder(listed(tmp_path, entries), KEY_A=" ").build()
        for call in (say(models, "a"), models["a"].probability(IsRelevant())):
            with pytest.raises(SetupError, match="KEY_A"):
                await call
        assert await say(models, "b") == "fine"
        await models.aclose()
    assert len(server.requests) == 1


def test_a_key_may_stand_in_the_env_file_where_the_process_has_no_such_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY_B", "from the process")
    (tmp_path / ".env").write_text("KEY_A=from the file\nKEY_B=from the file\n", encoding="utf-8")
    found = environment()
    assert (found["KEY_A"], found["KEY_B"]) == ("from the file", "from the process")


async def test_a_refused_key_names_its_variable_and_never_the_key(tmp_path: Path) -> None:
    async with serving(failed(401, "wrong key sk-never-shown")) as server:
        entries = {"a": {"base_url": server.base_url, "api_key_env": "KEY_A"}}
        models = builder(listed(tmp_path, entries), KEY_A="sk-never-shown").build()
        with pytest.raises(Exception, match=r"Check KEY_A\.") as caught:
            await say(models, "a")
        await models.aclose()
    assert "sk-never" not in f"{caught.value} {models['a']!r}"


async def test_what_a_request_leaves_open_is_the_alias_own(tmp_path: Path) -> None:
    own = {"temperature": 0.3, "seed": 5, "top_p": 0.8, "max_tokens": 50, "extra": {"reasoning_effort": "low"}}
    async with serving(said("fine")) as server:
        models = builder(listed(tmp_path, {"a": {"base_url": server.base_url, "parameters": own}})).build()
        await say(models, "a")
        await say(models, "a", temperature=0.0, seed=6)
        await models.aclose()
    sampled = [(one["temperature"], one["seed"], one["top_p"], one["max_tokens"]) for one in server.requests]
    assert sampled == [(0.3, 5, 0.8, 50), (0.0, 6, 0.8, 50)]
    assert {one["reasoning_effort"] for one in server.requests} == {"low"}


async def test_each_alias_has_its_own_limit(tmp_path: Path) -> None:
    slow = Act(said("fine").body, wait=0.05)
    async with serving(slow) as a, serving(slow) as b:
        entries = {"a": {"base_url": a.base_url, "concurrency": 1}, "b": {"base_url": b.base_url, "concurrency": 3}}
        models = builder(listed(tmp_path, entries, llm_cache=False)).build()
        await asyncio.gather(*(say(models, alias) for alias in "ab" for _ in range(6)))
        await models.aclose()
    assert (a.most_under_way, b.most_under_way) == (1, 3)


async def test_each_alias_has_its_own_deadline(tmp_path: Path) -> None:
    async with serving(Act(said("late").body, wait=0.3)) as server:
        entries = {"a": {"base_url": server.base_url, "deadline_seconds": 0.05}, "b": {"base_url": server.base_url}}
        models = builder(listed(tmp_path, entries)).build()
        with pytest.raises(Exception, match="`deadline_seconds` of a in the models file"):
            await say(models, "a")
        assert await say(models, "b") == "late"
        await models.aclose()


async def test_an_alias_that_is_down_is_left_alone_and_no_other(tmp_path: Path) -> None:
    async with serving(failed(503)) as down, serving(said("fine")) as up:
        entries = {"a": {"base_url": down.base_url}, "b": {"base_url": up.base_url}}
        models = builder(listed(tmp_path, entries)).build()
        for _ in range(MAX_FAILURES + 3):
            with pytest.raises(ModelUnavailable):
                await say(models, "a")
        assert await say(models, "b") == "fine"
        breakers = [models[alias].breaker for alias in "ab"]
        await models.aclose()
    assert len(down.requests) == MAX_FAILURES
    assert [breaker.state for breaker in breakers if breaker] == ["open", "closed"]


async def test_models_of_one_name_at_two_endpoints_never_share_a_cached_reply(tmp_path: Path) -> None:
    async with serving(said("from a")) as a, serving(said("from b")) as b:
        entries = {"a": {"base_url": a.base_url}, "b": {"base_url": b.base_url}}
        models = builder(listed(tmp_path, entries)).build()
        assert [await say(models, alias) for alias in "abab"] == ["from a", "from b"] * 2
        await models.aclose()
    assert (len(a.requests), len(b.requests)) == (1, 1)


async def test_an_endpoint_that_is_moved_gets_no_reply_of_the_one_before(tmp_path: Path) -> None:
    async with serving(said("old")) as old, serving(said("new")) as new:
        for server, text in ((old, "old"), (new, "new")):
            models = builder(settings_in(tmp_path, llm_base_url=server.base_url, llm_model="m")).build()
            assert await say(models, None) == text
            await models.aclose()


async def test_the_cost_is_that_of_the_alias(tmp_path: Path) -> None:
    async with serving(said("fine")) as server:
        entries = {
            "a": {"base_url": server.base_url, "prices": {"input": 1.0, "output": 2.0}},
            "b": {"base_url": server.base_url, "prices": {"input": 100.0, "output": 200.0}},
            "c": {"base_url": server.base_url},
            "d": {"base_url": server.base_url, "model": "priced"},
        }
        prices = {"priced": ModelPrice(input=0, output=1000.0), "faulty-2025": ModelPrice(input=7, output=7)}
        models = builder(listed(tmp_path, entries, llm_prices=prices)).build()
        costs = {}
        for alias in ("a", "b", "c", "d", "offline"):
            costs[alias] = (await Metered(models, models.prices).run(Say(), Sampling(model=alias))).usage.cost_usd
        await models.aclose()
    # 10 tokens in, 5 out; what the server calls itself sets no price of an alias.
    assert costs == {"a": 20e-6, "b": 2000e-6, "c": None, "d": 5000e-6, "offline": 0.0}


async def test_what_an_alias_cannot_do_is_never_asked_of_it(tmp_path: Path) -> None:
    async with serving(GRADE) as server:
        models = builder(listed(tmp_path, {"a": {"base_url": server.base_url, "capabilities": []}})).build()
        for call, capability in (
            (models["a"].run(Choose()), "tools"),
            (models["a"].probability(IsRelevant()), "logprobs"),
            (models["a"].run(LabelTask(task=IsRelevant(), labels=("yes", "no"), closing="Yes or no?")), "logprobs"),
        ):
            with pytest.raises(MissingCapability, match=f"'a'.*{capability}"):
                await call
        assert server.requests == []
        assert (await models["a"].run(GiveGrade())).value.mark == "pass"
        await models.aclose()
    assert [one["response_format"]["type"] for one in server.requests] == ["json_object"]


async def test_what_an_alias_can_do_is_asked_of_it(tmp_path: Path) -> None:
    async with serving(GOOD_CALL, GRADE) as server:
        models = builder(listed(tmp_path, {"a": {"base_url": server.base_url}})).build()
        assert (await models["a"].run(Choose())).value.calls
        assert (await models["a"].run(GiveGrade())).value.mark == "pass"
        await models.aclose()
    assert server.requests[1]["response_format"]["type"] == "json_schema"


async def test_the_single_endpoint_is_the_model_default_beside_those_of_the_file(tmp_path: Path) -> None:
    async with serving(said("mine")) as own, serving(said("from a")) as a:
        settings = listed(tmp_path, {"a": {"base_url": a.base_url}}, llm_base_url=own.base_url, llm_model="big")
        models = builder(settings).build()
        assert models.names == ("big", "default", "a", "offline")
        assert [await say(models, alias) for alias in (None, "default", "big", "a")] == ["mine"] * 3 + ["from a"]
        await models.aclose()
    assert [one["model"] for one in own.requests] == ["big"]


@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("default: b\nmodels: {a: {base_url: http://h/v1, model: m}, b: {base_url: http://h/v1, model: m}}", "b"),
        ("default: offline\nmodels: {a: {base_url: http://h/v1, model: m}}", "offline"),
        ("models: {a: {base_url: http://h/v1, model: m}, default: {base_url: http://h/v1, model: m}}", "default"),
        ("models: {e: {base_url: http://h/v1, model: m, embedding: {dimension: 2}}}", "offline"),
        ("models: {}", "offline"),
    ],
)
def test_the_file_says_which_model_is_asked_where_nobody_names_one(tmp_path: Path, text: str, default: str) -> None:
    assert builder(listed(tmp_path, text)).build().model == default


@pytest.mark.parametrize("alias", ["default", "big", "other"])
def test_an_alias_cannot_repeat_a_name_of_the_settings(tmp_path: Path, alias: str) -> None:
    settings = listed(
        tmp_path,
        {alias: {"base_url": "http://h/v1"}},
        llm_base_url="http://h/v1",
        llm_model="big",
        llm_models=("other",),
    )
    with pytest.raises(InvalidInput, match=rf"models\.yaml line 1: models\.{alias}: .*EDUMOD_LLM_BASE_URL"):
        builder(settings).build()


def test_an_unchanged_alias_is_taken_over_and_a_changed_one_is_new(tmp_path: Path) -> None:
    variables = {"KEY_A": "1", "KEY_B": "2"}
    entries = {
        "same": {"base_url": "http://h/v1", "api_key_env": "KEY_A"},
        "moved": {"base_url": "http://h/v1"},
        "rekeyed": {"base_url": "http://h/v1", "api_key_env": "KEY_B"},
        "gone": {"base_url": "http://h/v1"},
    }
    settings = listed(tmp_path, entries, llm_base_url="http://own/v1")
    building = ModelBuilder(settings, OfflineLLM({}), variables=lambda: variables)
    before = building.build()
    variables["KEY_B"] = "3"
    listed(tmp_path, {**{name: entries[name] for name in ("same", "rekeyed")}, "moved": {"base_url": "http://i/v1"}})
    after = building.build(before)
    kept = {name for name in after.names if after[name] is before[name]}
    assert kept == {"same", "gpt-4.1-mini", "default", "offline"}
    assert set(after.names) == kept | {"moved", "rekeyed"}


def test_an_empty_url_counts_as_not_set_and_is_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("EDUMOD_LLM_BASE_URL", " ")
    settings = read_settings()
    assert settings.llm_base_url is None
    assert builder(settings, EDUMOD_LLM_BASE_URL=" ").build().names == ("offline",)
    assert "EDUMOD_LLM_BASE_URL is empty" in caplog.text


async def test_a_reload_looks_up_the_key_of_an_alias_that_embeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMB_KEY", "sk-one")
    entry = {"base_url": unused_url(), "api_key_env": "EMB_KEY", "embedding": {"dimension": 8}}
    endpoints = AliasEndpoints(listed(tmp_path, {"emb": entry}))
    first = endpoints("emb")
    endpoints.reload()
    assert endpoints("emb") is first
    monkeypatch.setenv("EMB_KEY", "sk-two")
    endpoints.reload()
    assert endpoints("emb") is not first
    await endpoints.aclose()
