"""What there is to choose from, and whether the service lives."""

from __future__ import annotations

import time

import httpx

from pipelines import PIPELINES
from retrievers import RETRIEVERS


def test_pipelines_and_retrievers_are_listed_with_a_summary(client: httpx.Client) -> None:
    for path, known in (("/pipelines", PIPELINES), ("/retrievers", RETRIEVERS)):
        listed = client.get(path).json()
        assert [one["name"] for one in listed] == [one.name for one in known]
        assert all(one["summary"] for one in listed)


def test_every_alias_of_a_pipeline_is_listed_documented_and_allowed(client: httpx.Client) -> None:
    aliases = {one["name"]: one["aliases"] for one in client.get("/pipelines").json()}
    assert (aliases["fc_forced"], aliases["fc"], aliases["edison"]) == (["forced"], [], [])
    parameters = client.get("/openapi.json").json()["paths"]["/answer"]["post"]["parameters"]
    told = next(one for one in parameters if one["name"] == "pipeline")["description"]
    body = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    refused = client.post("/answer?pipeline=iterativ", json=body).json()
    for name, (alias,) in ((name, found) for name, found in aliases.items() if found):
        assert alias in told
        assert alias in refused["allowed"]
        assert client.post(f"/answer?pipeline={alias}", json=body).json()["configuration"]["pipeline"] == name
    assert "Did you mean 'iterative'?" in refused["detail"]


def test_model_calls_are_described_with_the_extra_calls(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()["components"]["schemas"]["PipelineOut"]
    told = schema["properties"]["model_calls"]["description"]
    for word in ("at most", "repaired", "retriever"):
        assert word in told


def test_courses_are_listed_with_their_material(client: httpx.Client) -> None:
    small = next(course for course in client.get("/courses").json() if course["id"] == "small")
    assert {one["source"]: one["documents"] for one in small["material"]} == {
        "assignment": 1, "logistics": 1, "qa": 1, "textbook": 1,
    }  # fmt: skip


def test_the_service_lives_and_becomes_ready(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    for _ in range(600):
        ready = client.get("/readyz")
        if ready.status_code == 200:
            break
        time.sleep(0.1)
    assert ready.json() == {"ready": True, "checks": {"database": "ok", "embedding": "ok", "model": "ok"}}


def test_an_unknown_path_and_a_wrong_method_are_problems(client: httpx.Client) -> None:
    missing, wrong = client.get("/nope"), client.get("/answer")
    assert (missing.status_code, wrong.status_code) == (404, 405)
    assert missing.headers["content-type"] == wrong.headers["content-type"] == "application/problem+json"
