"""Scores move with words of solutions, so they are for those who may read solutions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.llm.scripted import ScriptedLLM
from tests.app.asking import calls
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, headers, made_key, stored_draft
from tests.pipelines.runs import written

QUESTION = "homework 3 problem 1: how do I compute the probability of dice"
GUESS = f"{QUESTION}, is it thirty-six outcomes hence one sixth"
"""With words that stand in the solution alone."""
SEARCH = {"pipeline": "fc_forced", "retriever": "hybrid"}


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture(scope="module")
def keys(home: Path) -> dict[str, dict[str, str]]:
    return {name: headers(made_key(home, *ACTORS[name], name=name)) for name in ("student", "ta")}


def asked(server: httpx.Client, who: dict[str, str], text: str = QUESTION, **more: str) -> httpx.Response:
    request = {"course": "small", "question": {"body": text}}
    response = server.post("/answer", params=SEARCH, json=request, headers={**who, **more})
    assert response.status_code == 200, response.text
    return response


def scores(steps: Any) -> list[float | None]:
    return [passage["score"] for step in steps for passage in step["passages"]]


def test_a_student_sees_what_was_found_without_scores(server: httpx.Client, keys: dict[str, dict[str, str]]) -> None:
    answer = asked(server, keys["student"]).json()
    stored = server.get(f"/traces/{answer['trace_id']}", headers=keys["student"]).json()
    for steps in (answer["trace"], stored["steps"]):
        assert scores(steps)
        assert set(scores(steps)) == {None}
    page = server.get(f"/traces/{answer['trace_id']}/page", headers=keys["student"]).text
    assert "Passages found, best first" in page
    assert "By way of" not in page
    assert 'data-h="Score"' not in page


def test_an_assistant_sees_the_scores(server: httpx.Client, keys: dict[str, dict[str, str]]) -> None:
    answer = asked(server, keys["ta"]).json()
    stored = server.get(f"/traces/{answer['trace_id']}", headers=keys["ta"]).json()
    assert scores(answer["trace"]) == scores(stored["steps"])
    assert all(score > 0 for score in scores(stored["steps"]) if score is not None)
    assert None not in scores(stored["steps"])
    assert 'data-h="Score"' in server.get(f"/traces/{answer['trace_id']}/page", headers=keys["ta"]).text


def test_an_assistant_reads_the_scores_of_a_students_question(
    server: httpx.Client, keys: dict[str, dict[str, str]]
) -> None:
    trace = asked(server, keys["student"]).json()["trace_id"]
    assert None not in scores(server.get(f"/traces/{trace}", headers=keys["ta"]).json()["steps"])


def test_no_event_of_a_students_stream_has_a_score(server: httpx.Client, keys: dict[str, dict[str, str]]) -> None:
    stream = asked(server, keys["student"], Accept="text/event-stream").text
    found = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: ")]
    passages = [one for event in found for one in event.get("passages", ())]
    assert passages
    assert {one["score"] for one in passages} == {None}
    assert set(scores(found[-1]["trace"])) == {None}


def test_words_of_a_solution_change_no_number_of_a_students_search(
    server: httpx.Client, keys: dict[str, dict[str, str]]
) -> None:
    def numbers(who: str, query: str) -> list[str]:
        page = server.get("/courses/small", params={"q": query}, headers=keys[who]).text
        start = page.index("best first")
        table = page[start : page.index("</table>", start)]
        return re.findall(r"\b\d\.\d\d\b", table)

    assert numbers("ta", GUESS) != numbers("ta", QUESTION)
    assert numbers("student", GUESS) == numbers("student", QUESTION) == []


def test_a_students_confidence_is_in_tenths(home: Path, keys: dict[str, dict[str, str]]) -> None:
    sure = written(confidence=0.8712)
    with live(settings_in(home), ScriptedLLM([calls("logistics_retrieval"), sure] * 2)) as server:
        exact, answer = (asked(server, keys[name]).json() for name in ("ta", "student"))
        stored = server.get(f"/answers/{answer['draft_id']}", headers=keys["student"]).json()
        page = server.get(f"/answers/{answer['draft_id']}", headers={**keys["student"], "Accept": "text/html"}).text
    assert exact["confidence"] not in (0.0, round(exact["confidence"], 1))
    assert answer["confidence"] == stored["confidence"] == round(exact["confidence"], 1)
    assert f"confidence {answer['confidence']:.2f}" in page


def test_a_key_that_may_decide_but_not_read_drafts_sees_no_scores_of_a_draft_that_it_retries(
    server: httpx.Client, home: Path
) -> None:
    made = headers(made_key(home, Permission.DRAFTS_DECIDE, name="decider"))
    draft, _ = stored_draft(home, "small")
    answer = server.post(f"/drafts/{draft}/retry", headers=made).json()
    assert set(scores(answer["trace"])) <= {None}
