"""`POST /answer`, over HTTP."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.errors import ModelDeclined, ModelTimeout, ModelUnavailable
from core.llm.scripted import ScriptedLLM
from pipelines import PIPELINES
from pipelines.configuration import NAMES
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import Waiting, calls, request, stored, written
from tests.app.live import live, settings_in
from tests.servers.homes import rows, url_in

ON_EACH_DATABASE = True


def test_a_question_about_logistics_is_answered_from_the_syllabus(client: httpx.Client) -> None:
    response = client.post("/answer?pipeline=fc", json=request())
    assert response.status_code == 200
    body = response.json()
    assert body["status"] == "answered"
    assert "February 19" in body["answer"]
    assert "not written by a model" in body["answer"]
    cited = [citation for citation in body["citations"] if citation["document"] == "logistics/syllabus.md"]
    assert cited[0]["verified"]
    assert cited[0]["heading_path"] == ["Syllabus", "Homework due dates"]


def test_the_configuration_is_resolved_and_hashed(client: httpx.Client) -> None:
    first, second, third = (
        client.post(f"/answer?{query}", json=request()).json()["configuration"]
        for query in ("pipeline=fc&top_k=3", "pipeline=fc&top_k=3", "pipeline=fc&top_k=4")
    )
    assert (first["pipeline"], first["retriever"], first["model"], first["top_k"]) == ("fc", "tree", "offline", 3)
    assert first["hash"] == second["hash"] != third["hash"]


def test_draft_and_trace_are_stored(client: httpx.Client, home: Path) -> None:
    body = client.post("/answer", json=request()).json()
    draft = stored(home, "draft", body["draft_id"])
    assert (draft.state, draft.request["question"]["body"]) == ("pending", request()["question"]["body"])
    assert draft.response["answer"] == body["answer"]
    kinds = [step["kind"] for step in stored(home, "trace", body["trace_id"]).steps]
    assert kinds[0] == "choose"
    assert kinds[-1] == "write"
    assert "search" in kinds


def test_forced_calls_a_function_even_for_thanks(client: httpx.Client) -> None:
    thanks = request("thanks, got it!")
    assert client.post("/answer?pipeline=fc", json=thanks).json()["function_calls"] == []
    assert client.post("/answer?pipeline=fc_forced", json=thanks).json()["function_calls"] != []


@pytest.mark.parametrize(
    ("query", "change", "named"),
    [
        ("pipeline=fx", {}, "fc_forced"),
        ("retriever=hybird", {}, "hybrid"),
        ("model=gpt-9", {}, "offline"),
        ("", {"course": "smal"}, "small"),
        ("pipelin=fc", {}, "pipelin"),
        ("pipelin=fc", {}, "retriever.textbook, retriever.assignment"),
        ("top_k=0", {}, "top_k"),
        ("top_k=99", {}, "top_k: must be an integer from 1 to 50, not '99'"),
        ("top_k=abc", {}, "top_k: must be an integer from 1 to 50, not 'abc'"),
        ("temperature=nan", {}, "temperature: must be a number from 0 to 2, not 'nan'"),
        ("max_rounds=99", {}, "max_rounds: must be an integer from 1 to 10, not '99'"),
        ("retriever.textbook=bm52", {}, "bm25"),
        ("", {"questions": 1}, "questions"),
    ],
)
def test_unknown_names_and_fields_are_refused_with_the_allowed_ones(
    client: httpx.Client, query: str, change: dict[str, Any], named: str
) -> None:
    response = client.post(f"/answer?{query}", json={**request(), **change})
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert named in response.json()["detail"]


@pytest.mark.parametrize("name", ["textbook_retriever", "Top_k"])
def test_a_parameter_is_known_by_its_declared_name_alone(client: httpx.Client, name: str) -> None:
    response = client.post("/answer", params={name: "3"}, json=request())
    assert response.status_code == 422
    assert f"query.{name}: Unknown parameter. Allowed: pipeline, " in response.json()["detail"]


@pytest.mark.parametrize("query", ["top_k=3&top_k=5", "retriever.textbook=bm25&top_k=3&retriever.textbook=tree"])
def test_a_parameter_that_is_given_twice_is_refused(client: httpx.Client, query: str) -> None:
    response = client.post(f"/answer?{query}", json=request())
    assert response.status_code == 422
    assert response.json()["detail"] == f"The parameter {query.split('=')[0]} is given more than once. Give it once."


@pytest.mark.parametrize("query", ["pipeline=fc_forced&max_rounds=2", "max_rounds=2"])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_parameter_that_the_pipeline_does_not_have_is_refused(client: httpx.Client, query: str, accept: str) -> None:
    response = client.post(f"/answer?{query}", json=request(), headers={"Accept": accept})
    pipeline = "fc_forced" if "pipeline" in query else "fc"
    assert response.status_code == 422
    assert response.json()["detail"] == (
        f"The pipeline {pipeline} has no parameter max_rounds. These have it: fc_iterative, fc_feedback. "
        "Choose one of them, or leave max_rounds out."
    )


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"{not json", 400), (b"\xff\xfe\x00", 400), (b"[]", 422), (b"", 422), (b'{"course": "small"}', 422),
     (b'{"course": "small", "question": {"body": ""}}', 422), (b'{"course": "../etc", "question": {"body": "x"}}', 422),
     (b'{"course": "small", "question": {"body": "\\ud800"}}', 422)],
)  # fmt: skip
def test_a_body_that_cannot_be_used_is_a_problem_that_says_why(
    client: httpx.Client, content: bytes, status: int
) -> None:
    response = client.post("/answer", content=content, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["detail"]


@pytest.mark.parametrize("content", [b"{not json", b'{"course": "\xc3\x28"}'])
def test_a_wrong_query_beside_a_body_that_cannot_be_read_is_told_with_it(client: httpx.Client, content: bytes) -> None:
    header = {"content-type": "application/json"}
    response = client.post("/answer?pipeline=none&top_k=x", content=content, headers=header)
    body = response.json()
    assert (response.status_code, body["type"]) == (400, "urn:edumod:problem:not-json")
    assert [one["where"] for one in body["errors"]] == ["body", "query.top_k", "query.pipeline"]
    assert body["errors"][0]["problem"] in body["detail"]
    assert "2 more" in body["detail"]
    assert "errors" not in client.post("/answer?top_k=3", content=content, headers=header).json()


@pytest.mark.parametrize("question", [{"body": "  \n "}, {"body": "\x00"}, {"body": "<p> </p>", "body_format": "html"}])
def test_a_question_without_words_is_refused(client: httpx.Client, question: dict[str, str]) -> None:
    response = client.post("/answer", json=request(question=question))
    assert (response.status_code, "no text" in response.json()["detail"]) == (422, True)


def test_half_a_character_in_any_text_is_left_out(home: Path, client: httpx.Client) -> None:
    half = "when is homework 3 due\ud83d?"
    texts = {"title": half, "body": half, "category": half}
    body = request(question=texts, code=half, thread=[{"body": half}], author={"pseudonym": half})
    response = client.post("/answer", content=json.dumps(body), headers={"content-type": "application/json"})
    assert response.status_code == 200
    kept = json.dumps(stored(home, "draft", response.json()["draft_id"]).request)
    assert (kept.count("homework 3 due?"), "ud83d" in kept) == (6, False)


def test_a_question_is_kept_before_the_model_has_answered(home: Path) -> None:
    llm = Waiting({ChooseFunctions: [calls("qa_retrieval")], WriteAnswer: [written()]})
    found: list[tuple[str]] = []
    with live(settings_in(home), llm) as client:
        thread = threading.Thread(target=client.post, args=("/answer",), kwargs={"json": request("Kept early?")})
        thread.start()
        until = time.monotonic() + 30
        while not found and time.monotonic() < until:
            time.sleep(0.1)
            found = rows(home, "SELECT state FROM draft WHERE CAST(request AS TEXT) LIKE '%Kept early?%'")
        llm.may_answer.set()
        thread.join()
    assert found == [("working",)]


def test_a_huge_thread_is_refused_rather_than_read(client: httpx.Client) -> None:
    thread = [{"body": "- a\n" * 4900}] * 20
    assert client.post("/answer", json=request(thread=thread)).status_code == 413


def test_a_question_of_200_kb_is_refused_with_the_limit(client: httpx.Client) -> None:
    response = client.post("/answer", json=request("why " * 50_000))
    assert response.status_code == 413
    assert "20,000" in response.json()["detail"]


def test_a_request_over_the_limit_is_refused_before_it_is_read(home: Path) -> None:
    with live(settings_in(home, max_request_bytes=5000)) as client:
        declared = client.post("/answer", json=request("x" * 6000))
        chunked = client.post("/answer", content=(b"x" * 1000 for _ in range(20)))
    assert (declared.status_code, chunked.status_code) == (413, 413)
    assert "5,000 bytes" in chunked.json()["detail"]


def test_html_and_nul_characters_are_read_as_text(client: httpx.Client) -> None:
    question = {"body": "<p>When is <b>homework 3</b> due?\x00</p>", "body_format": "html"}
    body = client.post("/answer", json=request(question=question)).json()
    assert all("<p>" not in call["arguments"]["query"] for call in body["function_calls"])


def test_what_a_model_says_with_an_abstention_is_for_the_reviewer(home: Path) -> None:
    told = written("Looked for the size of the hall; the department may know.").model_copy(
        update={"status": "abstained"}
    )
    with live(settings_in(home), ScriptedLLM([calls("logistics_retrieval"), told])) as client:
        body = client.post("/answer", json=request()).json()
    assert body["status"] == "abstained"
    assert "department" not in body["answer"]
    assert "the department may know" in body["warnings"][-1]


def test_a_repeated_key_gives_the_same_answer_and_asks_no_model_again(home: Path) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), written()])
    with live(settings_in(home), llm) as client:
        first = client.post("/answer", json=request(), headers={"Idempotency-Key": "bot-1"})
        again = client.post("/answer", json=request(), headers={"Idempotency-Key": "bot-1"})
        other = client.post("/answer", json=request("Another?"), headers={"Idempotency-Key": "bot-1"})
    assert first.json() == again.json()
    assert len(llm.tasks) == 2
    assert (other.status_code, other.json()["type"]) == (422, "urn:edumod:problem:idempotency-key-reused")


def test_the_same_key_twice_at_once_is_answered_once(home: Path) -> None:
    llm = Waiting({ChooseFunctions: [calls("logistics_retrieval")], WriteAnswer: [written()]})
    statuses: list[int] = []
    with live(settings_in(home), llm) as client:

        def post() -> None:
            statuses.append(client.post("/answer", json=request(), headers={"Idempotency-Key": "bot-2"}).status_code)

        threads = [threading.Thread(target=post) for _ in range(5)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 30
        while len(statuses) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        llm.may_answer.set()
        for thread in threads:
            thread.join()
    assert sorted(statuses) == [200, 409, 409, 409, 409]


def holds(home: Path, words: str) -> bool:
    """True if the database holds the words, in a row or anywhere else in a file of SQLite's."""
    if url_in(home) is not None:
        return any(rows(home, f"SELECT 1 FROM {table} WHERE CAST({table} AS TEXT) LIKE '%{words}%'")
                   for table in ("draft", "trace"))  # fmt: skip
    # In a process of its own: a process that closes a file of SQLite's loses its locks on it.
    found = subprocess.run(["grep", "-Hc", words, *home.glob("edumod.db*")], capture_output=True, text=True)
    return not all(line.endswith(":0") for line in found.stdout.split())


@pytest.mark.parametrize(("course", "consent"), [("strict", None), ("strict", False), ("small", False)])
def test_without_consent_nothing_is_sent_and_nothing_kept(home: Path, course: str, consent: bool | None) -> None:
    llm = ScriptedLLM([])
    secret = request("my secret question", course=course, author={"pseudonym": "p-17", "consent": consent})
    with live(settings_in(home), llm) as client:
        body = client.post("/answer", json=secret, headers={"Idempotency-Key": f"c-{course}-{consent}"}).json()
    assert (body["status"], body["trace_id"], llm.tasks) == ("consent_required", None, [])
    draft = stored(home, "draft", body["draft_id"])
    assert (draft.state, draft.request, draft.response) == ("refused", None, None)
    assert not holds(home, "my secret question")


def test_with_consent_a_strict_course_answers(home: Path) -> None:
    with live(settings_in(home)) as client:
        body = client.post("/answer", json=request(course="strict", author={"consent": True})).json()
    assert body["status"] == "answered"


@pytest.mark.parametrize(
    ("course", "category", "warned"),
    [("strict", "Logistik", True), ("strict", " logistics", False), ("strict", None, False), ("small", "Any", False)],
)
def test_a_category_that_the_course_does_not_have_is_answered_with_a_warning(
    client: httpx.Client, course: str, category: str | None, warned: bool
) -> None:
    asked = request(course=course, author={"consent": True})
    asked["question"]["category"] = category
    body = client.post("/answer", json=asked).json()
    told = [one for one in body["warnings"] if "categor" in one]
    assert body["status"] == "answered"
    assert told == (["This course has no category 'Logistik'. It has: Homework 3, Logistics."] if warned else [])


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (ModelTimeout("The model took over 60 s."), 504, "model-timeout"),
        (ModelUnavailable("The model is down.", retry_after=7), 503, "model-unavailable"),
    ],
)
def test_a_failing_model_keeps_the_question_in_a_draft_that_says_what_failed(
    home: Path, fault: Exception, status: int, code: str
) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), fault, calls("logistics_retrieval"), written()])
    headers = {"Idempotency-Key": f"bot-{code}"}
    with live(settings_in(home), llm) as client:
        failed = client.post("/answer", json=request(), headers=headers)
        draft = stored(home, "draft", failed.json()["draft_id"])
        again = client.post("/answer", json=request(), headers=headers)
    assert (failed.status_code, failed.json()["type"]) == (status, f"urn:edumod:problem:{code}")
    assert (draft.state, draft.error["code"]) == ("failed", code)
    assert draft.request["question"]["body"] == request()["question"]["body"]
    assert failed.headers.get("retry-after") == ("7" if status == 503 else None)
    assert again.status_code == 200
    assert again.json()["draft_id"] == draft.id


def test_a_refusal_of_the_model_is_a_blocked_draft_with_its_reason(home: Path) -> None:
    declined = ModelDeclined("The model refused the task: no.")
    llm = ScriptedLLM([calls("logistics_retrieval"), declined])
    with live(settings_in(home), llm) as client:
        response = client.post("/answer", json=request())
    body = response.json()
    assert (response.status_code, body["status"], body["confidence"]) == (200, "blocked", 0.0)
    assert "staff" in body["answer"]
    assert body["warnings"] == [ModelDeclined.sentence]
    assert stored(home, "draft", body["draft_id"]).state == "pending"


@pytest.mark.parametrize("pipeline", [pipeline.name for pipeline in PIPELINES])
def test_every_pipeline_answers_offline(client: httpx.Client, pipeline: str) -> None:
    body = client.post(f"/answer?pipeline={pipeline}", json=request()).json()
    assert (body["status"], body["configuration"]["pipeline"]) == ("answered", pipeline)
    assert "February 19" in body["answer"]


def test_an_answer_that_takes_too_long_is_a_problem_that_names_no_setting(home: Path) -> None:
    llm = ScriptedLLM({ChooseFunctions: [calls("logistics_retrieval")], WriteAnswer: [written()]}, seconds=5)
    with live(settings_in(home, deadline_seconds=0.3), llm) as client:
        response = client.post("/answer", json=request())
    assert (response.status_code, response.json()["type"]) == (504, "urn:edumod:problem:run-timeout")
    assert "EDUMOD" not in response.text


def test_a_model_sees_course_text_as_data_and_its_citations_are_verified(home: Path) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), written("Due February 19 [1][7].", "not in the text")])
    with live(settings_in(home), llm) as client:
        body = client.post("/answer", json=request()).json()
    assert body["answer"] == "Due February 19 [1]."
    assert [citation["verified"] for citation in body["citations"]] == [False]
    assert body["usage"]["calls"] == 2


def test_solutions_reach_the_model_but_never_an_extract(home: Path, client: httpx.Client) -> None:
    dice = request("Homework 3 Problem 1: what is the probability that two dice sum to seven?")
    llm = ScriptedLLM([calls("assignment_retrieval", query="two dice sum seven"), written("Count [1].", "two dice")])
    with live(settings_in(home), llm) as model_client:
        assert model_client.post("/answer", json=dice).status_code == 200
    task = llm.tasks[1]
    assert isinstance(task, WriteAnswer)
    assert "one sixth" in task.passages[0].solution
    assert "one sixth" not in client.post("/answer", json=dice).json()["answer"]


def test_one_functions_retriever_and_a_pipelines_parameter_are_chosen_by_name(client: httpx.Client) -> None:
    query = "pipeline=iterative&max_rounds=1&retriever=bm25&retriever.logistics=vector&beam=2"
    found = client.post(f"/answer?{query}", json=request()).json()
    configuration = found["configuration"]
    assert configuration["retrievers"]["logistics"] == "vector"
    assert (configuration["pipeline"], configuration["max_rounds"], configuration["beam"]) == ("fc_iterative", 1, 2)
    used = {step["function"]: step["retriever"] for step in found["trace"] if step.get("function")}
    assert used["logistics_retrieval"] == "vector"


def test_the_openapi_document_describes_answers_and_problems(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    operation = schema["paths"]["/answer"]["post"]
    assert {"200", "400", "409", "413", "422", "502", "503", "504"} <= set(operation["responses"])
    assert "application/problem+json" in operation["responses"]["422"]["content"]
    assert {parameter["name"] for parameter in operation["parameters"]} == {*NAMES, "Idempotency-Key", "prefer"}
    rounds = next(one for one in operation["parameters"] if one["name"] == "max_rounds")
    assert "fc_feedback: New drafts after the first." in rounds["description"]
    assert "HTTPValidationError" not in schema["components"]["schemas"]
