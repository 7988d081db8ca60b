"""The pages of evaluations: runs, comparisons, nights and judges, for those who may see them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.settings import Settings
from tests.app.commands import edumod
from tests.app.live import live
from tests.app.people.actors import headers
from tests.app.people.actors import key as new_key
from tests.app.review.test_axe import axe, violations

PAGE = {"Accept": "text/html"}


def ran(home: Path, *arguments: str) -> Any:
    ended = edumod(home, *arguments, "--json")
    assert ended.returncode in (0, 3), ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def runs(home: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Ids of two runs on the course's queries, after a night and a judge's calibration on files."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "scale.json").write_text('{"min": 0, "max": 5}')
    answers = [
        {"id": str(n), "question": "When is it due?", "reference": "It is due on Friday.", "answer": text, "score_1": n}
        for n, text in enumerate(("I do not know.", "On Monday.", "On Friday.", "It is due on Friday."))
    ]
    (folder / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    ran(home, "eval", "judges", "--dataset", str(folder), "--judge", "teaching_points")
    ran(home, "report", "nightly", "--course", "small", "--retriever", "bm25,tree")
    measure = ("eval", "retrieval", "--course", "small", "--metric", "recall@1")
    return [str(ran(home, *measure, "--retriever", one)["evaluation"]) for one in ("bm25,tree", "tree")]


@pytest.fixture(scope="module")
def client(home: Path, runs: list[str]) -> Iterator[httpx.Client]:
    with live(Settings(_env_file=None, home=home)) as client:
        yield client


def test_runs_nights_and_judges_are_on_one_page(client: httpx.Client, runs: list[str]) -> None:
    page = client.get("/evaluations", headers=PAGE).text
    assert all(f"/evaluations/{run}" in page for run in runs)
    assert "recall@5 of small, night by night" in page
    assert "<polyline" in page
    assert "teaching_points" in page
    assert "computed, 4 answers" in page
    assert {one["kind"] for one in client.get("/evaluations").json()} == {"retrieval", "nightly", "judges"}
    only = client.get("/evaluations?course=small&kind=retrieval").json()
    assert [one["id"] for one in only] == runs[::-1]
    assert client.get("/evaluations?kind=opinions").status_code == 422
    assert '<a href="/evaluations" aria-current="page" data-go="v">Evaluations</a>' in page


def test_a_run_is_shown_and_compared_with_another(client: httpx.Client, runs: list[str]) -> None:
    page = client.get(f"/evaluations/{runs[1]}", headers=PAGE).text
    assert "recall@1" in page
    assert f'<option value="{runs[0]}">' in page
    shown = client.get(f"/evaluations/{runs[0][:8]}").json()
    assert set(shown["retrievers"]) == {"bm25", "tree"}
    sides = {"base": runs[0], "candidate": runs[1]}
    assert client.get("/evaluations/comparison", params=sides).json()["actors"][0]["base"] == "tree"
    compared = client.get("/evaluations/comparison", params=sides, headers=PAGE).text
    assert "no sure difference" in compared
    other = next(one["id"] for one in client.get("/evaluations?kind=judges").json())
    refused = client.get("/evaluations/comparison", params={**sides, "base": other}, headers=PAGE)
    assert refused.status_code == 422
    assert "cannot be compared" in refused.text


def test_who_measures_in_one_course_sees_no_run_without_it(client: httpx.Client, home: Path, runs: list[str]) -> None:
    mine = headers(asyncio.run(new_key(home, Permission.EVAL, name="an evaluator")))
    assert {one["course"] for one in client.get("/evaluations", headers=mine).json()} == {"small"}
    judged = next(one["id"] for one in client.get("/evaluations?kind=judges").json())
    assert client.get(f"/evaluations/{judged}", headers=mine).status_code == 404
    assert client.get(f"/evaluations/{runs[0]}", headers=mine).status_code == 200
    sides = {"base": judged, "candidate": runs[0]}
    assert client.get("/evaluations/comparison", params=sides, headers=mine).status_code == 404
    asking = headers(asyncio.run(new_key(home, Permission.ANSWER, name="a student")))
    assert client.get("/evaluations", headers=asking).status_code == 403
    assert "/evaluations" not in client.get("/", headers=asking).text


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_have_no_violations_and_fit_a_phone(
    client: httpx.Client, runs: list[str], browser_page: Any, width: int, scheme: str
) -> None:
    program = axe()
    judged = next(one["id"] for one in client.get("/evaluations?kind=judges").json())
    paths = ["/evaluations", "/evaluations?kind=attacks", *(f"/evaluations/{one}" for one in (*runs, judged))]
    paths += [f"/evaluations/comparison?base={base}&candidate={runs[1]}" for base in (runs[0], judged)]
    context = browser_page.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    found = []
    for path in paths:
        found += violations(page, f"{client.base_url}{path}", program)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    context.close()
    assert found == []
    assert [one for one in told if "Content Security Policy" in one] == []
