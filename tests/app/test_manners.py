"""Manners of HTTP: `HEAD`, replays, everything that is wrong told at once, and pages for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.llm.scripted import ScriptedLLM
from tests.app.answering.test_streaming import STREAM, events
from tests.app.asking import calls, request, written
from tests.app.edge.raw import Raw
from tests.app.live import live, settings_in

PAGE = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/docs/swagger-ui.css", "/healthz", "/readyz", "/pipelines", "/courses", "/v1/courses",
             "/drafts", "/openapi.json", "/favicon.ico", "/traces/nope", "/traces/nope/page", "/answers/nope", "/nope"],
)  # fmt: skip
def test_every_get_has_a_head_without_content(client: httpx.Client, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
    assert "content-length" in head.headers


def test_a_connection_can_be_used_on_after_a_head(client: httpx.Client) -> None:
    with Raw(client) as raw:
        raw.request("HEAD", "/healthz")
        raw.request("GET", "/healthz")
        raw.send(b"")
        head = raw._file.readline()
        assert b"200" in head
        while raw._file.readline().strip():
            pass
        assert raw.reply().json() == {"status": "ok"}


def test_a_head_of_what_cannot_be_got_is_refused_as_the_get(client: httpx.Client) -> None:
    assert client.head("/answer").status_code == client.get("/answer").status_code == 405


@pytest.mark.parametrize("path", ["/favicon.ico", "/favicon.svg"])
def test_there_is_an_icon_that_browsers_keep(client: httpx.Client, path: str) -> None:
    icon = client.get(path)
    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert "max-age" in icon.headers["cache-control"]


@pytest.mark.parametrize("path", ["/nope", "/answer", "/drafts?limit=0", "/v1/nope", "/traces/nope"])
def test_a_browser_gets_a_page_where_a_program_gets_a_problem(client: httpx.Client, path: str) -> None:
    problem, page = client.get(path), client.get(path, headers=PAGE)
    assert problem.headers["content-type"] == "application/problem+json"
    assert (page.status_code, page.headers["content-type"]) == (problem.status_code, "text/html; charset=utf-8")
    assert page.headers.get("allow") == problem.headers.get("allow")
    assert problem.json()["title"] in page.text
    assert 'href="/"' in page.text


def test_what_an_address_holds_is_no_markup_on_the_page(client: httpx.Client) -> None:
    page = client.get("/<script>alert(1)</script>", headers=PAGE)
    assert (page.status_code, "<script>" in page.text) == (404, False)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/html;q=0.5", "text/*", ""])
def test_a_program_never_gets_a_page(client: httpx.Client, accept: str) -> None:
    assert client.get("/nope", headers={"Accept": accept}).headers["content-type"] == "application/problem+json"


def test_a_replay_says_that_it_is_one(home: Path) -> None:
    key = {"Idempotency-Key": "replay-1"}
    with live(settings_in(home), ScriptedLLM([calls("logistics_retrieval"), written()])) as client:
        first, again = (client.post("/answer", json=request(), headers=key) for _ in range(2))
        streamed = client.post("/answer", json=request(), headers={**key, **STREAM})
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == streamed.headers["idempotent-replayed"] == "true"
    assert first.json() == again.json() == events(streamed)[-1][2]


def test_a_replayed_refusal_says_so_too(client: httpx.Client) -> None:
    denied = request(author={"consent": False})
    key = {"Idempotency-Key": "replay-refused"}
    first, again = (client.post("/answer", json=denied, headers=key) for _ in range(2))
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")


def wheres(response: httpx.Response) -> set[str]:
    assert response.status_code == 422
    return {error["where"] for error in response.json()["errors"]}


@pytest.mark.parametrize(
    ("query", "body", "named"),
    [
        ("top_k=abc", {}, {"query.top_k", "body.course", "body.question"}),
        ("pipelin=fc", {"course": "small"}, {"query.pipelin", "body.question"}),
        ("pipeline=nope&retriever.textbook=bm52", {"course": "small"},
         {"query.pipeline", "query.retriever.textbook", "body.question"}),
        ("top_k=3&top_k=4", {"course": "small"}, {"query", "body.question"}),
        ("top_k=0", [], {"query.top_k", "body"}),
    ],
)  # fmt: skip
def test_a_wrong_query_and_a_wrong_body_are_told_together(
    client: httpx.Client, query: str, body: Any, named: set[str]
) -> None:
    for headers in ({}, STREAM):
        assert wheres(client.post(f"/answer?{query}", json=body, headers=headers)) == named


def test_a_wrong_header_is_told_with_the_rest(client: httpx.Client) -> None:
    response = client.post("/answer?top_k=0", json={"course": "small"}, headers={"Idempotency-Key": "k" * 300})
    assert wheres(response) == {"query.top_k", "header.Idempotency-Key", "body.question"}


def test_names_that_do_not_exist_are_told_with_the_allowed_ones(client: httpx.Client) -> None:
    told = client.post("/answer?pipeline=nope", json={}).json()
    assert "fc_forced" in next(one["problem"] for one in told["errors"] if one["where"] == "query.pipeline")
    alone = client.post("/answer?pipeline=nope", json=request()).json()
    assert (alone["type"], "fc_forced" in json.dumps(alone["allowed"])) == ("urn:edumod:problem:unknown-name", True)
