"""Stored traces: over HTTP, as a page, and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.traces import duration
from core.errors import BadReply
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import FunctionCall
from safeguards import WITHHELD
from tasks import Statement, WrittenAnswer
from tests.app.asking import calls, request, stored, written
from tests.app.commands import edumod
from tests.app.live import live, settings_in
from tests.app.pages import QUESTION, submit
from tests.servers.homes import rows

ON_EACH_DATABASE = True

SOLVED = "There are six of thirty-six outcomes, hence one sixth."


@pytest.fixture(scope="module")
def answered(client: httpx.Client) -> Any:
    asked = request(question={"title": "Deadline", "body": "When is homework 3 due?"})
    return client.post("/answer?pipeline=fc", json=asked).json()


def test_a_stored_trace_has_the_question_the_outcome_and_every_step(client: httpx.Client, answered: Any) -> None:
    trace = client.get(f"/traces/{answered['trace_id']}").json()
    assert trace["question"] == {"title": "Deadline", "body": "When is homework 3 due?"}
    assert (trace["course_id"], trace["draft_id"]) == ("small", answered["draft_id"])
    assert (trace["state"], trace["status"], trace["error"]) == ("pending", "answered", None)
    for same in ("configuration", "usage"):
        assert trace[same] == answered[same]
    assert sorted(map(json.dumps, trace["steps"])) == sorted(map(json.dumps, answered["trace"]))


def test_steps_come_in_the_order_in_which_they_began(client: httpx.Client, answered: Any) -> None:
    trace = client.get(f"/traces/{answered['trace_id']}").json()
    began = [step["started_ms"] for step in trace["steps"]]
    assert began == sorted(began)
    assert trace["ms"] == max(step["started_ms"] + step["ms"] for step in trace["steps"])


@pytest.mark.parametrize("unknown", ["nope", "%00", "%F0%9F%8E%B2", "a" * 3000])
def test_an_unknown_trace_is_not_found_as_a_problem_and_as_a_page(client: httpx.Client, unknown: str) -> None:
    missing = client.get(f"/traces/{unknown}")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert "There is no trace" in missing.json()["detail"]
    page = client.get(f"/traces/{unknown}/page")
    assert (page.status_code, "There is no trace" in page.text) == (404, True)


def test_the_trace_of_a_failed_run_has_the_error(home: Path) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), BadReply("The reply was cut off.")])
    with live(settings_in(home), llm) as client:
        draft_id = client.post("/answer?pipeline=fc", json=request()).json()["draft_id"]
        trace_id = json.loads(edumod(home, "trace", draft_id, "--json").stdout)["id"]
        trace = client.get(f"/traces/{trace_id}").json()
        page = client.get(f"/traces/{trace_id}/page").text
    assert (trace["state"], trace["status"], trace["configuration"]["pipeline"]) == ("failed", None, "fc")
    assert trace["error"] == {"code": "bad-reply", "detail": BadReply.sentence}
    assert trace["steps"][-1]["error"] == BadReply.sentence
    assert page.count(str(BadReply.sentence)) == 2
    assert "cut off" not in page


def test_of_a_draft_that_was_worked_on_again_only_the_last_trace_has_the_answer(home: Path) -> None:
    key = {"Idempotency-Key": "again"}
    llm = ScriptedLLM([BadReply("Cut off."), calls("logistics_retrieval"), written()])
    with live(settings_in(home), llm) as client:
        draft_id = client.post("/answer?pipeline=fc", json=request(), headers=key).json()["draft_id"]
        first = json.loads(edumod(home, "trace", draft_id, "--json").stdout)["id"]
        second = client.post("/answer?pipeline=fc", json=request(), headers=key).json()
        traces = [client.get(f"/traces/{trace_id}").json() for trace_id in (first, second["trace_id"])]
    assert [(one["draft_id"], one["state"], one["status"]) for one in traces] == [
        (draft_id, "pending", None),
        (draft_id, "pending", "answered"),
    ]
    assert json.loads(edumod(home, "trace", draft_id, "--json").stdout)["id"] == second["trace_id"]


def test_what_a_model_repeats_of_a_solution_is_in_no_trace(home: Path) -> None:
    copied = Choice(calls=(FunctionCall(id="2", name="qa_retrieval", arguments={"query": SOLVED}),))
    llm = ScriptedLLM([calls("assignment_retrieval", query="two dice"), copied, Choice(calls=()), written("Sum.", "x")])
    with live(settings_in(home), llm) as client:
        body = client.post("/answer?pipeline=fc_iterative", json=request("How do I start with the dice?")).json()
        trace = client.get(f"/traces/{body['trace_id']}").json()
    assert "thirty-six" not in json.dumps(body)
    assert "thirty-six" not in json.dumps(trace)
    assert "thirty-six" not in json.dumps(stored(home, "trace", body["trace_id"]).steps)
    assert "thirty-six" not in json.dumps(stored(home, "draft", body["draft_id"]).response)
    assert [call["arguments"]["query"] for call in body["function_calls"]] == ["two dice", WITHHELD]
    assert [step["arguments"]["query"] for step in trace["steps"] if step["kind"] == "search"] == ["two dice", WITHHELD]


def test_the_answer_links_to_its_trace_page_and_the_page_shows_it_all(client: httpx.Client) -> None:
    shown = submit(client).text
    link = shown.split('href="/traces/')[1].split('"')[0]
    page = client.get(f"/traces/{link}")
    assert page.headers["content-type"].startswith("text/html")
    for words in (QUESTION["body"], "logistics_retrieval", "logistics/syllabus.md › Syllabus", "WriteAnswer", "free",
                  "Configuration", 'href="/"', "--at: "):  # fmt: skip
        assert words in page.text


def test_what_students_and_models_write_is_no_markup_on_the_page_nor_on_the_terminal(home: Path) -> None:
    script = "<script>alert(1)</script> [red]x[/red] [/] \\"
    llm = ScriptedLLM(
        [
            calls("logistics_retrieval", query=script),
            WrittenAnswer(status="answered", statements=(Statement(text="Yes."),), confidence=1),
        ]
    )
    with live(settings_in(home), llm) as client:
        body = client.post("/answer?pipeline=fc", json=request(question={"title": script, "body": script})).json()
        page = client.get(f"/traces/{body['trace_id']}/page").text
    assert "<script>" not in page
    printed = edumod(home, "trace", body["trace_id"])
    assert (printed.returncode, printed.stdout.count("[red]x[/red] [/] \\")) == (0, 4)


def test_the_command_prints_a_tree_for_a_trace_and_for_its_draft(home: Path, answered: Any) -> None:
    by_trace, by_draft = (edumod(home, "trace", answered[key], COLUMNS="200") for key in ("trace_id", "draft_id"))
    assert (by_trace.returncode, by_trace.stdout) == (0, by_draft.stdout)
    shown = (
        "Deadline When is homework 3 due?",
        "pipeline fc",
        "model offline",
        "ChooseFunctions v",
        "2 model calls",
        "search logistics_retrieval “",
        "logistics/syllabus.md › Syllabus › Homework due dates",
        answered["draft_id"],
    )
    for words in shown:
        assert words in by_trace.stdout


def test_the_command_ends_with_two_for_an_unknown_id(home: Path) -> None:
    failed = edumod(home, "trace", "nope")
    assert (failed.returncode, "'nope'" in failed.stderr, failed.stdout) == (2, True, "")


def test_a_refused_question_has_no_trace(client: httpx.Client, home: Path) -> None:
    refused = client.post("/answer", json={**request(), "author": {"consent": False}}).json()
    failed = edumod(home, "trace", refused["draft_id"])
    assert (failed.returncode, "no run of that draft" in failed.stderr) == (2, True)


def test_a_trace_from_before_a_choice_existed_can_still_be_read(
    client: httpx.Client, home: Path, answered: Any
) -> None:
    older = {name: answered["configuration"][name] for name in
             ("pipeline", "retriever", "model", "top_k", "temperature", "seed", "prompts", "hash")}  # fmt: skip
    response = json.dumps({**answered, "configuration": {**older, "dropped": 1}})
    rows(home, "UPDATE draft SET response = :new WHERE id = :id", new=response, id=answered["draft_id"])
    trace = client.get(f"/traces/{answered['trace_id']}")
    assert (trace.status_code, trace.json()["configuration"]["pipeline"]) == (200, "fc")


@pytest.mark.parametrize(("ms", "shown"), [(0, "0.0 ms"), (9.94, "9.9 ms"), (85.4, "85 ms"), (2104, "2.10 s")])
def test_durations_are_short(ms: float, shown: str) -> None:
    assert duration(ms) == shown
