"""Decisions over HTTP: one counts, nothing is lost, and a mistake can be undone."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from core.access import Person
from core.store.store import Store
from core.types import Role
from tests.app.commands import edumod
from tests.app.live import settings_in
from tests.app.review.conftest import Ask
from tests.app.review.deciding import decide


def test_an_unchanged_text_approves_the_draft(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    decided = decide(reviewing, draft)
    assert decided.status_code == 200, decided.text
    body = decided.json()
    assert (body["outcome"], body["text"], body["edit_distance"]) == ("approved", draft["answer"].strip(), 0)
    assert (body["is_final"], body["decided_by"]) == (False, "this machine")
    read = reviewing.get(f"/drafts/{draft['id']}")
    assert (read.json()["state"], read.json()["decision"]) == ("decided", body)
    assert read.headers["etag"] == decided.headers["etag"]


def test_an_edit_says_how_much_was_changed_and_why(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    text = f"{draft['answer']} Ask in office hours too."
    body = decide(reviewing, draft, text=text, reasons=["tone", "conciseness"], note="Warmer.", seconds=12.5).json()
    assert (body["outcome"], body["share_deleted"], body["edit_distance"]) == ("edited", 0.0, 5)
    assert (body["reasons"], body["note"], body["seconds"]) == (["tone", "conciseness"], "Warmer.", 12.5)
    assert body["share_added"] > 0


def test_a_new_text_rewrites_the_draft_and_names_the_sentences_struck(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    body = decide(reviewing, draft, text="See the syllabus.").json()
    assert body["outcome"] == "rewritten"
    assert body["struck"]


def test_struck_sentences_are_left_out(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask(body="When is homework 3 due and can I use slip days?")
    body = decide(reviewing, draft, struck=[1]).json()
    assert body["text"] != draft["answer"]
    assert len(body["text"]) < len(draft["answer"])


def test_a_second_decision_is_a_conflict_that_shows_the_first(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    etag = reviewing.get(f"/drafts/{draft['id']}").headers["etag"]
    first = decide(reviewing, draft, etag, outcome="discarded", reasons=["policy"]).json()
    for tag in (etag, None):
        second = decide(reviewing, draft, tag, text="Mine.")
        assert second.status_code == 409
        assert second.json()["type"].endswith("already-decided")
        assert second.json()["decision"]["id"] == first["id"]
    assert reviewing.get(f"/drafts/{draft['id']}").json()["decision"]["outcome"] == "discarded"


def test_a_draft_that_has_changed_since_is_not_decided(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    etag = reviewing.get(f"/drafts/{draft['id']}").headers["etag"]
    decide(reviewing, draft, etag)
    assert reviewing.delete(f"/drafts/{draft['id']}/decision").status_code == 204
    late = decide(reviewing, draft, etag)
    assert (late.status_code, late.json()["type"]) == (412, "urn:edumod:problem:draft-changed")
    assert decide(reviewing, draft, '"no tag').status_code == 422


def test_a_decision_can_be_undone_until_it_is_final(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    decide(reviewing, draft)
    assert reviewing.delete(f"/drafts/{draft['id']}/decision").status_code == 204
    again = reviewing.get(f"/drafts/{draft['id']}").json()
    assert (again["state"], again["decision"]) == ("pending", None)
    assert reviewing.delete(f"/drafts/{draft['id']}/decision").status_code == 404
    final = ask("quick")
    decide(reviewing, final)
    too_late = reviewing.delete(f"/drafts/{final['id']}/decision")
    assert (too_late.status_code, "too late" in too_late.json()["detail"]) == (409, True)


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ({"text": "  "}, 422),
        ({"outcome": "approved", "text": "Another text."}, 422),
        ({"outcome": "sent"}, 422),
        ({"reasons": ["because"]}, 422),
        ({"text": "word " * 200_000}, 413),
        ({"scores": {"style": 5}}, 422),
        ({"outcome": "discarded", "promote": True}, 422),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_and_nothing_is_lost(
    reviewing: httpx.Client, ask: Ask, decision: dict[str, Any], status: int
) -> None:
    draft = ask()
    assert decide(reviewing, draft, **decision).status_code == status
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"


def test_an_unknown_draft_is_not_found(reviewing: httpx.Client) -> None:
    assert decide(reviewing, {"id": "none"}).status_code == 404
    assert reviewing.get("/drafts/none").status_code == 404


def test_a_draft_that_was_deleted_meanwhile_is_not_found_by_program_and_page(
    reviewing: httpx.Client, review_home: Path
) -> None:
    asked = {"course": "small", "question": {"body": "When is homework 3 due?"}, "author": {"pseudonym": "leaver"}}
    draft_id = reviewing.post("/answer?pipeline=fc", json=asked).json()["draft_id"]
    assert decide(reviewing, {"id": draft_id}, promote=True).status_code == 200
    assert edumod(review_home, "privacy", "delete", "--pseudonym", "leaver").returncode == 0
    assert decide(reviewing, {"id": draft_id}).status_code == 404
    for method, path in (("DELETE", "decision"), ("POST", "claim"), ("POST", "promotion"), ("DELETE", "promotion")):
        assert reviewing.request(method, f"/drafts/{draft_id}/{path}").status_code == 404, path
    for action in ("approve", "discard", "undo", "claim", "promote", "withdraw"):
        assert reviewing.post(f"/review/{draft_id}", data={"do": action, "final": "Late."}).status_code == 404, action
    assert draft_id not in reviewing.get("/review?view=decided").text


def test_a_form_with_a_megabyte_of_text_is_refused(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    for words, status in (("word " * 12_000, 413), ("word " * 200_000, 413)):
        refused = reviewing.post(f"/review/{draft['id']}", data={"do": "approve", "final": words})
        assert refused.status_code == status
    assert reviewing.get(f"/drafts/{draft['id']}").json()["state"] == "pending"


def test_many_decide_at_once_and_one_counts(reviewing: httpx.Client, ask: Ask) -> None:
    drafts = [ask() for _ in range(4)]
    statuses: dict[str, list[int]] = {draft["id"]: [] for draft in drafts}

    def work(n: int) -> None:
        with httpx.Client(base_url=reviewing.base_url, timeout=60) as client:
            for draft in drafts:
                found = decide(client, draft, text=f"The text of person {n}.")
                statuses[draft["id"]].append(found.status_code)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for found in statuses.values():
        assert sorted(found) == [200, *[409] * 7]


def test_a_long_poll_ends_with_the_final_decision(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask("quick")
    decider = threading.Timer(0.3, lambda: decide(reviewing, draft))
    decider.start()
    started = time.monotonic()
    found = reviewing.get(f"/drafts/{draft['id']}", params={"wait": 20})
    decider.join()
    assert found.json()["decision"]["is_final"] is True
    assert time.monotonic() - started < 15
    tag = found.headers["etag"]
    assert reviewing.get(f"/drafts/{draft['id']}", headers={"If-None-Match": tag}).status_code == 304


async def ta_of(home: Path) -> Person:
    """A TA of the course `small`."""
    store = await Store.open(settings_in(home).url)
    member = await store.members.add("Priya", roles={"small": Role.TA})
    await store.aclose()
    return Person(member.id, member.name)


def test_a_claim_keeps_others_informed_and_can_be_handed_over(
    reviewing: httpx.Client, review_home: Path, ask: Ask
) -> None:
    draft = ask()
    claimed = reviewing.post(f"/drafts/{draft['id']}/claim").json()
    assert claimed["by"] == "this machine"
    assert reviewing.get(f"/drafts/{draft['id']}").json()["claim"]["by"] == "this machine"
    member = asyncio.run(ta_of(review_home))
    assert reviewing.post(f"/drafts/{draft['id']}/claim", json={"to": "nobody"}).status_code == 422
    assert reviewing.post(f"/drafts/{draft['id']}/claim", json={"to": member.id}).json()["by"] == member.name
    refused = reviewing.post(f"/drafts/{draft['id']}/claim")
    assert (refused.status_code, member.name in refused.json()["detail"]) == (409, True)
    assert reviewing.delete(f"/drafts/{draft['id']}/claim").status_code == 204
    assert reviewing.get(f"/drafts/{draft['id']}").json()["claim"]["by"] == member.name


def test_a_second_opinion_needs_a_second_person(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask()
    decide(reviewing, draft)
    refused = reviewing.post(f"/drafts/{draft['id']}/opinions", json={})
    assert (refused.status_code, "somebody else" in refused.json()["detail"]) == (409, True)


def test_sure_drafts_of_a_course_that_posts_by_itself_are_approved(reviewing: httpx.Client, ask: Ask) -> None:
    draft = ask("auto")
    assert (draft["state"], draft["decision"]["decided_by"]) == ("decided", "automatic")
    assert ask("small")["state"] == "pending"


def test_the_list_is_filtered_by_kind_and_the_feed_names_no_student_text(reviewing: httpx.Client, ask: Ask) -> None:
    secret = "my secret words"
    draft = ask(body=f"{secret} Traceback (most recent call last): boom, when is homework 3 due?")
    assert draft["kind"] == "error_message"
    listed = reviewing.get("/drafts", params={"kind": "error_message", "course": "small"}).json()["drafts"]
    assert draft["id"] in [one["id"] for one in listed]
    feed = reviewing.get("/drafts/feed", params={"course": "small"})
    assert feed.headers["content-type"].startswith("application/atom+xml")
    ids = [one.text for one in ElementTree.fromstring(feed.text).iter("{http://www.w3.org/2005/Atom}id")]
    assert any(draft["id"] in str(one) for one in ids)
    assert secret not in feed.text
