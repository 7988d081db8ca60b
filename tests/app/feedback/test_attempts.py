"""Attempts at an exercise are counted for each person, and those that told nothing are not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from core.access import Permission
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key

A_DAY = 5


def student(home: Path) -> dict[str, str]:
    return headers(made_key(home, Permission.ANSWER, courses=("mech",)))


def sent(client: httpx.Client, who: dict[str, str], work: str, question: str = "1", **more: Any) -> httpx.Response:
    body = {"course": "mech", "assignment": "hw1", "question": question, "submission": work, **more}
    return client.post("/feedback", json=body, headers=who)


def test_the_sixth_attempt_waits_for_the_next_day_also_after_a_restart(home: Path) -> None:
    who = student(home)
    with live(settings_in(home)) as client:
        statuses = [sent(client, who, f"v = {x} m/s").status_code for x in range(20, 20 + A_DAY)]
    with live(settings_in(home)) as client:
        refused = sent(client, who, "v = 11 m/s")
        other = sent(client, who, "v = 19.8 m/s", "2b")
        somebody = sent(client, student(home), "v = 11 m/s")
    assert statuses == [200] * A_DAY
    assert (refused.status_code, refused.json()["type"]) == (429, "urn:edumod:problem:quota-exceeded")
    assert "checked 5 times for you today" in refused.json()["detail"]
    assert "00:00 UTC" in refused.json()["detail"]
    assert [other.status_code, somebody.status_code] == [200, 200]


def test_of_attempts_at_once_no_more_are_checked(home: Path) -> None:
    who = student(home)
    with live(settings_in(home)) as client, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda x: sent(client, who, f"v = {x} m/s").status_code, range(30, 38)))
    assert sorted(statuses) == [200] * A_DAY + [429] * 3


def test_a_list_of_answers_tells_nothing_and_counts_as_no_attempt(home: Path) -> None:
    who = student(home)
    with live(settings_in(home)) as client:
        for _ in range(A_DAY + 1):
            response = sent(client, who, "\n".join(f"Answer: {x} m/s" for x in range(5, 15)))
            assert response.json()["criteria"]["final_answer"]["verdict"] == "cannot_tell"


def test_a_program_asks_for_many_and_staff_as_often_as_they_like(home: Path) -> None:
    bot = student(home)
    ta = headers(made_key(home, Permission.ANSWER, Permission.DRAFTS_READ, courses=("mech",)))
    with live(settings_in(home)) as client:
        for number in range(A_DAY + 1):
            assert sent(client, bot, "v = 12 m/s", author={"pseudonym": f"s{number}"}).status_code == 200
            assert sent(client, ta, f"v = {number} m/s").status_code == 200
