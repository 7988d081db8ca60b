"""Everything that the service writes about a question, searched for keys and placeholders."""

from __future__ import annotations

import asyncio
import gzip
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.course import Course, ReviewRules
from tests.app.asking import written
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, key
from tests.core.llm.endpoint import KEY
from tests.servers.faults import Act, called, failed, said, serving
from tests.sweeps import sweep

CHOSEN = called(("logistics_retrieval", {"query": "PERSON_1 asks when homework 3 is due"}))
ANSWERED = said(written("Dear PERSON\\_1, due on February 19 [1]. I wrote to EMAIL_1.").model_dump_json())
REFUSED = failed(401, f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}")
PLACEHOLDERS = ("PERSON_", "PERSON\\_", "EMAIL_", "EMAIL\\_")
QUESTION = {
    "course": "small",
    "question": {"title": "Ada asks", "body": "I am Ada Byron, ada@example.edu. When is homework 3 due?"},
    "people": [{"name": "Ada Byron"}],
    "author": {"pseudonym": "s1"},
}


@pytest.fixture
async def small(tmp_path: Path, material: Path) -> Path:
    """A course whose decisions are final at once."""
    home = tmp_path / "home"
    await ingest_all(settings_in(home), material, Course(id="small", review=ReviewRules(undo_seconds=0)))
    return home


@pytest.mark.parametrize(
    ("acts", "status"),
    sweep(
        [((CHOSEN, ANSWERED), 200), ((REFUSED,), 502), ((CHOSEN, said("PERSON_1?")), 502), ((CHOSEN, REFUSED), 502)],
        every=2,
    ),
)
async def test_keys_and_placeholders_are_in_no_log_reply_file_and_export(
    small: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, acts: tuple[Act, ...], status: int
) -> None:
    own = await key(small, *Permission)
    with caplog.at_level(logging.DEBUG):
        async with serving(*acts) as server:
            settings = settings_in(small, llm_base_url=server.base_url, llm_api_key=KEY, llm_max_retries=0)
            shown = await asyncio.to_thread(everything_shown, settings, own, status)
            prompts = str(server.requests)
    assert "PERSON_1" in prompts
    assert "Byron" not in prompts
    assert "Ada" in shown
    exports = tmp_path / "exports"
    exports.mkdir()
    await asyncio.to_thread(export, small, exports)
    texts = {"log": caplog.text, "replies": shown, **files_in(small), **files_in(exports)}
    for secret in (KEY, own, *PLACEHOLDERS):
        # What a model replied to a prompt is kept as it was, for the next equal prompt.
        found = [
            name for name, text in texts.items() if secret in text and (secret in (KEY, own) or "cache" not in name)
        ]
        assert found == [], secret


def everything_shown(settings: Any, own: str, status: int) -> str:
    """What a client with all permissions is sent about the question, as JSON, stream and pages."""
    texts = []
    with live(settings) as client:
        client.headers.update(headers(own))
        answered = client.post("/answer?pipeline=fc", json=QUESTION)
        assert answered.status_code == status, answered.text
        draft_id = answered.json()["draft_id"]
        client.post(f"/drafts/{draft_id}/decision", json={"text": "On February 19, Ada.", "promote": True})
        paths = [
            f"/drafts/{draft_id}", f"/answers/{draft_id}", "/drafts", "/drafts/feed", "/courses/small/pairs",
            "/review", f"/review/{draft_id}", "/courses/small", "/settings?course=small", "/metrics", "/readyz",
        ]  # fmt: skip
        if trace := answered.json().get("trace_url"):
            paths += [trace, f"{trace}/page"]
        texts += [answered.text, *(reply.text for path in paths for reply in both(client, path))]
    return "\n".join(texts)


def both(client: httpx.Client, path: str) -> list[httpx.Response]:
    """For a program and for a browser."""
    found = [client.get(path), client.get(path, headers={"Accept": "text/html"})]
    assert [one.status_code for one in found] == [200, 200], path
    return found


def export(home: Path, folder: Path) -> None:
    """Every file that a command writes about students."""
    for command in (
        ("privacy", "export", str(folder / "student.json"), "--pseudonym", "s1"),
        ("label", "export", "small", str(folder / "labels")),
        ("backup", str(folder / "backup.gz")),
    ):
        done = edumod(home, *command)
        assert done.returncode == 0, done.stderr


def files_in(folder: Path) -> dict[str, str]:
    """The text of each file below the folder, by path."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            found[str(file)] = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("latin-1")
    return found
