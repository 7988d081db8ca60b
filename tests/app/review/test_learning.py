"""Decisions that teach: the next answer cites a promoted one, and labels and figures count it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from app.review import learning
from app.review.label_files import write_labels
from app.wiring import build_services
from core.errors import BadVectors
from eval.datasets.answers import read_answer_labels
from tests.app.live import settings_in
from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide
from tests.fakes import FakeEmbedder

QUESTION = "Which colour has the quokka mascot of the department picnic?"
ANSWER = "The quokka mascot of the department picnic is turquoise."


def thread_search(client: httpx.Client) -> str:
    page: str = client.get("/courses/small", params={"q": QUESTION}).text
    return page


def test_a_promoted_answer_is_found_until_it_is_withdrawn(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask(body=QUESTION)
    decided = decide(reviewing, draft, text=ANSWER, promote=True)
    assert (decided.status_code, decided.json()["is_promoted"]) == (200, True)
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"] == decided.json()
    assert "turquoise" in thread_search(reviewing)
    again = ask(body=QUESTION)
    assert "turquoise" in again["answer"]
    assert again["citations"][0]["document"] == f"review/{draft['id']}"
    assert reviewing.delete(f"/drafts/{draft['id']}/promotion").status_code == 204
    assert "turquoise" not in thread_search(reviewing)


def test_a_decision_counts_although_its_question_could_not_become_a_past_one(
    reviewing: httpx.Client, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: object) -> None:
        raise BadVectors("The embedding gave no vectors.")

    by_program, by_form = ask(body=QUESTION), ask(body=QUESTION)
    form = {"do": "approve", "final": ANSWER, "promote": "on"}
    with monkeypatch.context() as patched:
        patched.setattr(learning, "promote", failing)
        decided = decide(reviewing, by_program, text=ANSWER, promote=True)
        shown = reviewing.post(f"/review/{by_form['id']}", data=form)
    assert (decided.status_code, decided.json()["is_promoted"]) == (200, False)
    assert shown.status_code == BadVectors.status
    assert "The decision below is saved." in shown.text
    promoted = reviewing.post(f"/review/{by_form['id']}", data={"do": "promote"}, follow_redirects=True)
    assert "Later questions are answered from this one." in promoted.text
    reviewing.post(f"/review/{by_form['id']}", data={"do": "withdraw"})
    assert "turquoise" not in thread_search(reviewing)


def test_undoing_a_decision_withdraws_what_it_taught(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask(body=QUESTION)
    decide(reviewing, draft, text=ANSWER.replace("turquoise", "vermilion"), promote=True)
    assert "vermilion" in thread_search(reviewing)
    reviewing.delete(f"/drafts/{draft['id']}/decision")
    assert "vermilion" not in thread_search(reviewing)
    refused = reviewing.post(f"/drafts/{draft['id']}/promotion")
    assert (refused.status_code, "decided text" in refused.json()["detail"]) == (409, True)


def test_the_quality_page_counts_decisions_with_intervals(reviewing: httpx.Client, ask: Ask) -> None:
    assert "Nothing to show yet" in reviewing.get("/courses/undecided/quality").text
    for _ in range(2):
        decide(reviewing, ask("quick"))
    decide(reviewing, ask("quick"), text="No.", reasons=["tone"])
    page = reviewing.get("/courses/quick/quality").text
    for words in ("decisions by people", "What if sure drafts", "tone", "rewritten"):
        assert words in page


def test_labels_of_decisions_are_read_by_evaluations_and_pairs_hold_draft_and_final(
    reviewing: httpx.Client, review_home: Path, ask: Ask, tmp_path: Path
) -> None:
    draft = ask("quick", body="When is homework 1 due?")
    decide(reviewing, draft, text="On January 29 [1].", kept=[draft["citations"][0]["block_id"]])
    lines = reviewing.get("/courses/quick/pairs").text.splitlines()
    pair = next(one for one in map(json.loads, lines) if one["id"] == draft["id"])
    assert (pair["draft"], pair["final"]) == (draft["answer"], "On January 29 [1].")
    assert len(pair["kept"]) == 1
    asyncio.run(export(review_home, tmp_path))
    labels = {one.id: one for one in read_answer_labels(tmp_path / "answers")}
    assert labels[draft["id"]].reference == "On January 29 [1]."
    assert labels[draft["id"]].passages == tuple(pair["kept"])
    qrels = (tmp_path / "retrieval" / "qrels.tsv").read_text(encoding="utf-8")
    assert f"{draft['id']}\t{pair['kept'][0]}\t1" in qrels


async def export(home: Path, folder: Path) -> None:
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    write_labels(folder, await services.learning.lessons("quick"))
    await services.aclose()
