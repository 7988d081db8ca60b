"""What belongs to one reviewer: the filters that she keeps, and her decisions."""

from __future__ import annotations

from pathlib import Path

import httpx

from core.access import Permission
from tests.app.people.actors import headers, made_key
from tests.app.review.conftest import Ask


def test_filters_are_kept_under_a_name_by_each_person(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    ask()
    scopes = (Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
    mine, other = (headers(made_key(review_home, *scopes, courses=("small",), name=name)) for name in ("I", "O"))
    query = "?course=small&kind=logistics"
    assert reviewing.post(f"/review/filters{query}", data={"name": "Dates <3"}, headers=mine).status_code == 303
    page = reviewing.get("/review", headers=mine).text
    assert "Dates &lt;3" in page
    assert "course=small&amp;view=waiting&amp;kind=logistics" in page
    assert "Dates" not in reviewing.get("/review", headers=other).text
    reviewing.post(f"/review/filters{query}", data={"forget": "Dates <3"}, headers=mine)
    assert "Dates" not in reviewing.get("/review", headers=mine).text


def test_own_decisions_are_listed_and_undone_in_any_order(reviewing: httpx.Client, review_home: Path, ask: Ask) -> None:
    scopes = (Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
    mine, other = (
        headers(made_key(review_home, *scopes, courses=("small", "quick"), name=name)) for name in ("Iris", "Olga")
    )
    drafts = [ask(body=f"Where is dodo {n}, and when is homework 3 due?") for n in range(3)]
    final = ask("quick", body="Where is the last dodo?")
    for draft in (*drafts, final):
        sent = reviewing.post(f"/drafts/{draft['id']}/decision", json={"text": "There."}, headers=mine)
        assert sent.status_code == 200
    page = reviewing.get("/review/decisions", headers=mine).text
    assert page.index("last dodo") < page.index("dodo 2") < page.index("dodo 0")
    assert f"/review/{final['id']}?correct=1" in page
    assert page.count('value="undo"') == 3
    assert "dodo" not in reviewing.get("/review/decisions", headers=other).text
    undone = reviewing.post(f"/review/{drafts[0]['id']}", data={"do": "undo"}, headers=mine)
    assert undone.status_code == 303
    assert "dodo 0" not in reviewing.get("/review/decisions", headers=mine).text
