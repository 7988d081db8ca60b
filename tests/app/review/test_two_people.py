"""Two reviewers on one queue: who has a draft is visible, and nobody gets what another has."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.types import Role
from tests.app.people.actors import headers, made_key
from tests.app.review.browsing import read, signed_in_page, wait_until_saved, write
from tests.app.review.conftest import Ask

SCOPES = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
DRAFTS = 60


@pytest.fixture(scope="module")
def priya(review_home: Path) -> dict[str, str]:
    return headers(made_key(review_home, *SCOPES, courses=("small", "quick", "auto"), name="Priya"))


@pytest.fixture(scope="module")
def mateo(review_home: Path) -> dict[str, str]:
    return headers(made_key(review_home, *SCOPES, courses=("small", "quick", "auto"), name="Mateo"))


def page_of(client: httpx.Client, draft: dict[str, Any], who: dict[str, str]) -> str:
    """The draft's page once it is open in front of somebody."""
    assert client.post(f"/review/{draft['id']}/here", headers=who, json={}).status_code == 200
    return client.get(f"/review/{draft['id']}", headers=who).text


def next_of(client: httpx.Client, query: str, who: dict[str, str], after: str = "") -> str:
    """Where the button for the next draft leads."""
    where = client.post(f"/review/next{query}&after={after}", headers=who)
    assert where.status_code == 303
    return str(where.headers["location"])


def clear_queue(client: httpx.Client, who: dict[str, str], start: str) -> list[str]:
    """Decide one draft after the other; the ids of those that were opened."""
    opened: list[str] = []
    where = start
    while "/review/" in where:
        draft_id = where.partition("?")[0].rpartition("/")[2]
        page = client.get(where, headers=who)
        assert 'id="held"' not in page.text, "somebody else has it"
        opened.append(draft_id)
        sent = client.post(where, headers=who, data={"do": "discard", "reason": "other"})
        assert sent.status_code == 303, sent.text
        where = sent.headers["location"]
    return opened


def test_two_people_clear_a_queue_without_a_collision(
    reviewing: httpx.Client, ask: Ask, priya: dict[str, str], mateo: dict[str, str]
) -> None:
    asked = {ask("quick", body=f"Where is giraffe {n}?")["id"] for n in range(DRAFTS)}
    query = "?course=quick&view=waiting&q=giraffe"
    with ThreadPoolExecutor(2) as pool:
        mine = pool.submit(clear_queue, reviewing, priya, next_of(reviewing, query, priya))
        theirs = pool.submit(clear_queue, reviewing, mateo, next_of(reviewing, query, mateo))
        opened = mine.result(), theirs.result()
    assert not {*opened[0]} & {*opened[1]}
    assert asked == {*opened[0], *opened[1]}
    assert all(opened)


def test_who_opens_a_draft_holds_it_until_the_heartbeat_stops(
    reviewing: httpx.Client, review_home: Path, ask: Ask, priya: dict[str, str], mateo: dict[str, str]
) -> None:
    draft = ask("quick")
    where = f"/review/{draft['id']}"
    assert "You hold it" in page_of(reviewing, draft, priya)
    held = page_of(reviewing, draft, mateo)
    assert "Priya</strong>" in held or "Priya holds this draft until" in held
    assert 'value="approve"' not in held
    assert reviewing.post(where, headers=mateo, data={"do": "approve"}).status_code == 409
    queue = reviewing.get("/review?course=quick", headers=mateo).text
    assert "Priya" in queue
    assert reviewing.post(f"{where}/here", headers=mateo, json={}).json()["held_by"] == "Priya"
    assert reviewing.post(f"{where}/here", headers=priya, json={}).json()["readers"] == ["Mateo"]
    with closing(sqlite3.connect(review_home / "edumod.db")) as database:
        database.execute("UPDATE draft SET claimed_until = '2020-01-01 00:00:00' WHERE id = ?", [draft["id"]])
        database.commit()
    assert reviewing.post(f"{where}/here", headers=mateo, json={}).json()["is_mine"] is True
    assert reviewing.post(where, headers=mateo, data={"do": "approve"}).status_code == 303


def test_a_page_that_is_only_loaded_reserves_nothing(
    reviewing: httpx.Client, ask: Ask, priya: dict[str, str], mateo: dict[str, str]
) -> None:
    draft = ask("quick", body="Where is the okapi?")
    assert reviewing.get(f"/review/{draft['id']}", headers=priya).status_code == 200
    assert reviewing.get("/review/next?course=quick&q=okapi", headers=priya).status_code == 404
    assert reviewing.get(f"/drafts/{draft['id']}").json()["claim"] is None
    assert draft["id"] in next_of(reviewing, "?course=quick&q=okapi", mateo)
    assert reviewing.get(f"/drafts/{draft['id']}").json()["claim"]["by"] == "Mateo"


def test_a_page_that_is_looked_at_reserves_its_draft(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any
) -> None:
    draft = ask("quick")
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        page.locator("#holder", has_text="You hold it").wait_for()


def test_a_claim_outlives_the_page_and_a_reservation_does_not(
    reviewing: httpx.Client, ask: Ask, priya: dict[str, str]
) -> None:
    reserved, claimed = ask("quick"), ask("quick")
    for draft in (reserved, claimed):
        page_of(reviewing, draft, priya)
    reviewing.post(f"/review/{claimed['id']}", headers=priya, data={"do": "claim"})
    for draft in (reserved, claimed):
        next_of(reviewing, "?q=no+such+words&view=waiting", priya, draft["id"])
    claims = [reviewing.get(f"/drafts/{draft['id']}").json()["claim"] for draft in (reserved, claimed)]
    assert [claim and claim["by"] for claim in claims] == [None, "Priya"]


@pytest.mark.parametrize("sort", ["", "confidence", "category", "kind"])
def test_next_stays_within_the_filter_and_its_order(
    reviewing: httpx.Client, ask: Ask, mateo: dict[str, str], sort: str
) -> None:
    word = f"zebra{sort}"
    for category in ("B", "A", "C"):
        ask("quick", body=f"{word}: when is homework 3 due?", category=category)
    ask("quick", body="Another question.")
    query = f"?course=quick&view=waiting&q={word}&sort={sort}"
    listed = reviewing.get(f"/review{query}", headers=mateo).text.split("<tr data-item")[1:]
    ids = [row.split('href="/review/')[1].partition("?")[0] for row in listed]
    assert len(ids) == 3
    following = [next_of(reviewing, query, mateo, one) for one in ids]
    assert [where.partition("?")[0].rpartition("/")[2] for where in following] == [*ids[1:], ids[0]]


def test_a_decision_of_somebody_else_is_told_and_can_be_taken_back(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any, priya: dict[str, str]
) -> None:
    draft = ask()
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        write(page, "My words.")
        wait_until_saved(page)
        reviewing.post(f"/drafts/{draft['id']}/decision", headers=priya, json={"text": "Hers, and shorter."})
        page.evaluate("beat()")
        page.get_by_text("Priya decided this draft.").wait_for()
        page.get_by_role("link", name="Load the page").click()
        page.locator("#conflict").wait_for()
        assert page.locator("#conflict ins").count()
        page.get_by_role("button", name="Use mine").click()
        page.locator("#text").wait_for()
        assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"
        read(page)
        page.keyboard.press("a")
        page.locator(".toast").wait_for()
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["text"] == "My words."


def test_theirs_can_be_left_as_it_is(
    reviewing: httpx.Client, review_home: Path, ask: Ask, browser_page: Any, priya: dict[str, str]
) -> None:
    draft = ask()
    with signed_in_page(browser_page, reviewing, review_home, Role.TA) as page:
        page.goto(f"{reviewing.base_url}/review/{draft['id']}")
        write(page, "My words.")
        wait_until_saved(page)
        reviewing.post(f"/drafts/{draft['id']}/decision", headers=priya, json={"text": "Hers."})
        page.get_by_role("button", name="Approve").click()
        page.get_by_role("button", name="leave it to").click()
        page.get_by_text("To be posted").wait_for()
        page.reload()
        assert page.locator("#conflict").count() == 0
