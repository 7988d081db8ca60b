"""Two windows of one person: the older one never overwrites what the newer one has saved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from tests.app.people.actors import headers, made_key
from tests.app.review.conftest import Ask

OLD, NEW = "From the first window.", "From the second window, and later."


def form_in(client: httpx.Client, draft: dict[str, Any], query: str = "") -> dict[str, str]:
    """The fields of the draft's page that say what it was loaded with."""
    page = client.get(f"/review/{draft['id']}{query}").text
    fields = dict(re.findall(r'<input type="hidden" name="(version|base|revision)" value="([^"]*)">', page))
    return {**fields, "was": draft["answer"], "block": OLD}


def save_elsewhere(client: httpx.Client, draft: dict[str, Any], base: str, purpose: str = "decision") -> None:
    edit = {"base": base, "revision": 0, "fields": {"was": [draft["answer"]], "block": [NEW]}}
    assert client.put(f"/review/{draft['id']}/edit?purpose={purpose}", json=edit).status_code == 200


@pytest.mark.parametrize("do", ["save", "approve", "discard"])
def test_a_form_of_an_older_window_is_compared_with_the_newer_text(reviewing: httpx.Client, ask: Ask, do: str) -> None:
    draft = ask()
    form = form_in(reviewing, draft)
    save_elsewhere(reviewing, draft, form["base"])
    sent = reviewing.post(f"/review/{draft['id']}", data={**form, "do": do})
    assert sent.status_code == 409
    assert "in another window" in sent.text
    assert "second" in sent.text
    assert "first" in sent.text
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"
    assert NEW in reviewing.get(f"/review/{draft['id']}").text


def test_a_refused_form_of_an_older_window_is_compared_as_well(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    form = form_in(reviewing, draft)
    save_elsewhere(reviewing, draft, form["base"])
    refused = reviewing.post(f"/review/{draft['id']}", data={**form, "do": "claim", "to": "nobody of that name"})
    assert refused.status_code == 409
    assert NEW in reviewing.get(f"/review/{draft['id']}").text


def test_a_second_opinion_of_an_older_window_is_merged_into_the_opinion(
    reviewing: httpx.Client, review_home: Path, ask: Ask
) -> None:
    draft = ask()
    scopes = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
    priya = headers(made_key(review_home, *scopes, courses=("small",), name="Priya"))
    reviewing.post(f"/drafts/{draft['id']}/decision", headers=priya, json={"text": "Hers."})
    form = form_in(reviewing, draft, "?second=1")
    save_elsewhere(reviewing, draft, form["base"], "opinion")
    where = f"/review/{draft['id']}"
    sent = reviewing.post(where, data={**form, "do": "compare", "purpose": "opinion"})
    assert (sent.status_code, 'name="purpose" value="opinion"' in sent.text) == (409, True)
    merged = reviewing.post(where, data={"do": "merge", "purpose": "opinion", "use": "mine", "all-mine": OLD})
    assert merged.headers["location"].endswith("&second=1")
    assert OLD in reviewing.get(f"{where}?second=1").text


def test_the_form_of_the_newest_window_is_sent(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    save_elsewhere(reviewing, draft, "")
    form = form_in(reviewing, draft)
    assert reviewing.post(f"/review/{draft['id']}", data={**form, "do": "approve"}).status_code == 303
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == OLD
