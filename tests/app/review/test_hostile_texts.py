"""What students, staff, course files and other programs write is shown as text on every page, in a real browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from core.access import Permission
from core.course import Course, ReviewRules
from core.store.people.keys import NewKey
from core.store.store import Store
from core.types import Role
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.review.deciding import decide

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    "</textarea></title><script>alert(1)</script>",
    "[link](javascript:alert(1)) ![picture](javascript:alert(1))",
    '<a href="JaVaScRiPt:alert(1)">link</a>',
    "$\\href{javascript:alert(1)}{x}$",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "{{ 7 * 7 }}",
)
NAME = " ".join(ATTACKS[:5])
"""For fields of one line."""
BLOCK = "\n\n".join((*ATTACKS, f"```{ATTACKS[2]}\n{ATTACKS[0]}\n```", f"| {ATTACKS[0]} |\n|---|\n| {ATTACKS[1]} |"))
DATES = f"# Dates\n\n## {NAME}\n\nHomework 3 is due on February 19. {NAME}\n\n{BLOCK}\n"
RUNNABLE = """() => [...document.querySelectorAll("*")].filter(one => one.matches("main script, main iframe")
  || [...one.attributes].some(({name, value}) => name.startsWith("on") || /^\\s*(javascript|data:text)/i.test(value)))
  .map(one => one.outerHTML.slice(0, 200))"""
"""Elements that would run something."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A course whose title, categories, material, staff and keys are hostile."""
    folder, home = tmp_path_factory.mktemp("material"), tmp_path_factory.mktemp("hostile")
    thread = {"id": "t1", "question": {"title": NAME, "body": BLOCK}, "thread": [{"role": "ta", "body": BLOCK}]}
    files = {"logistics/dates.md": DATES, "textbook/a.md": DATES, "qa/threads.jsonl": json.dumps(thread) + "\n"}
    files["assignments/hw3.md"] = f"# Homework 3\n\n## Problem 1: {NAME}\n\n{BLOCK}\n"
    for name, text in files.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text, encoding="utf-8")
    course = Course(id="hostile", title=NAME[:200], categories=(NAME,), review=ReviewRules(undo_seconds=3600))
    settings = settings_in(home, webhook_hosts=("127.0.0.1",))
    asyncio.run(fill(settings.url, folder, home, course))
    with live(settings) as client:
        yield client


async def fill(url: str, folder: Path, home: Path, course: Course) -> None:
    await ingest_all(settings_in(home), folder, course)
    store = await Store.open(url)
    await store.members.add(NAME, roles={course.id: Role.TA})
    await store.keys.create(NewKey(NAME, (Permission.ANSWER,), (course.id,)))
    await store.aclose()


def addresses(client: httpx.Client) -> list[str]:
    """Every page with a draft that waits, one that is decided, and one with another answer beside it."""
    ids = [asked(client) for _ in range(3)]
    decide(client, {"id": ids[1]}, text=BLOCK, note=NAME, reasons=["other"], promote=True)
    assert client.post(f"/drafts/{ids[0]}/claim", json={"to": NAME}).status_code == 200
    client.post(f"/review/{ids[2]}/alternative", data={"instruction": BLOCK[:2000]})
    address = f"http://127.0.0.1:9/{quote(NAME, safe='')}"
    assert client.post("/courses/hostile/webhooks", json={"url": address}).status_code == 201
    draft = client.get(f"/drafts/{ids[0]}").json()
    trace = client.get(f"/answers/{ids[0]}").json()["trace_url"]
    block = f"/courses/hostile/blocks/{draft['citations'][0]['block_id']}"
    words = quote(NAME)
    return [
        "/", "/review", f"/review?q={words[:190]}", "/review?view=decided", f"/review/{ids[0]}", f"/review/{ids[1]}",
        f"/review/{ids[2]}?undo={ids[1]}", f"/answers/{ids[0]}", f"{trace}/page", "/courses",
        f"/courses/hostile?q={words[:190]}", f"{block}?answer={ids[0]}&citation=1", "/courses/hostile/quality",
        "/courses/hostile/webhooks", "/settings?course=hostile", "/evaluations", f"/review/{words[:190]}",
    ]  # fmt: skip


def asked(client: httpx.Client) -> str:
    question = {"title": NAME, "body": f"When is homework 3 due?\n\n{BLOCK}", "category": NAME[:200]}
    request = {"course": "hostile", "question": question, "author": {"pseudonym": NAME[:200]}, "code": BLOCK,
               "thread": [{"role": "student", "body": BLOCK}], "thread_id": NAME[:200]}  # fmt: skip
    answered = client.post("/answer?pipeline=fc_forced", json=request)
    assert answered.status_code == 200, answered.text
    draft_id: str = answered.json()["draft_id"]
    return draft_id


def test_no_page_runs_what_somebody_wrote(hostile: httpx.Client, browser_page: Any) -> None:
    page = browser_page.new_page()
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: alerts.append(message.text) if "Content Security" in message.text else None)
    for path in addresses(hostile):
        assert page.goto(f"{hostile.base_url}{path}").status in (200, 404), path
        assert page.evaluate(RUNNABLE) == [], path
        assert "49" not in page.title(), path
        assert alerts == [], path
    page.close()
