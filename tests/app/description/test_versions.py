"""The API under `/v1`: the same as without, and nothing that was promised vanishes."""

from __future__ import annotations

import json
import threading
from copy import deepcopy
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.description.contract import contract, missing_lines
from app.docs import DOCS
from app.edge.versions import api_topics
from app.routes import answer, pages
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import Waiting, calls, request, written
from tests.app.live import live, settings_in
from tests.app.test_drafts import working

PROMISED = (DOCS / "v1.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))


def test_nothing_that_clients_rely_on_has_vanished(schema: Any) -> None:
    assert missing_lines(PROMISED, schema) == []


def test_everything_that_is_new_is_promised_from_now_on(schema: Any) -> None:
    """Run `python -m app.docs` to add it."""
    assert set(contract(schema)) == set(PROMISED)


def test_a_field_a_value_and_an_operation_that_vanish_are_noticed(schema: Any) -> None:
    less = deepcopy(schema)
    del less["components"]["schemas"]["Citation"]["properties"]["quote"]
    less["components"]["schemas"]["Status"]["enum"].remove("abstained")
    del less["paths"]["/courses"]
    lost = missing_lines(PROMISED, less)
    assert {"Citation.quote: string", "Status = abstained", "GET /courses is courses"} <= set(lost)


def test_a_request_that_comes_to_need_more_is_noticed_and_a_response_that_has_more_is_not(schema: Any) -> None:
    more = deepcopy(schema)
    more["components"]["schemas"]["AnswerResponse"]["properties"]["mood"] = {"type": "string"}
    more["components"]["schemas"]["AnswerResponse"]["required"].append("mood")
    assert missing_lines(PROMISED, more) == []
    more["components"]["schemas"]["QuestionIn"]["required"].append("title")
    assert missing_lines(PROMISED, more) == ["QuestionIn needs ['body']"]


@pytest.mark.parametrize("path", ["/pipelines", "/retrievers", "/courses", "/healthz", "/drafts", "/openapi.json"])
def test_both_addresses_give_the_same(client: httpx.Client, path: str) -> None:
    assert client.get(f"/v1{path}").json() == client.get(path).json()


def test_questions_are_answered_under_the_version(client: httpx.Client) -> None:
    answered = client.post("/v1/answer?pipeline=fc", json=request())
    assert answered.json()["status"] == "answered"
    trace = f"/traces/{answered.json()['trace_id']}"
    assert client.get(f"/v1{trace}").json() == client.get(trace).json()


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/docs", "/v1/nope", "/v1/v1/courses", "/v2/courses", "/v1courses"])
def test_pages_and_unknown_addresses_have_no_version(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_limit_on_answers_under_way_holds_for_both_addresses(home: Path) -> None:
    llm = Waiting({ChooseFunctions: [calls("logistics_retrieval")], WriteAnswer: [written()]})
    with live(settings_in(home, max_answers=1, max_queue=0), llm) as client:
        asking = threading.Thread(target=client.post, args=("/v1/answer",), kwargs={"json": request()})
        asking.start()
        next(working(client))
        refused = [client.post(path, json=request()).status_code for path in ("/answer", "/v1/answer")]
        llm.may_answer.set()
        asking.join()
    assert refused == [503, 503]


def test_topics_are_those_of_the_described_routes() -> None:
    assert api_topics([answer.router, pages.router]) == {"answer", "openapi.json"}


def test_the_description_names_both_addresses(schema: Any) -> None:
    assert [server["url"] for server in schema["servers"]] == ["/v1", "/"]
