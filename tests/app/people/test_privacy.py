"""What models see of people, and what is deleted and exported."""

from __future__ import annotations

import asyncio
import base64
import json
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlmodel import SQLModel

from app.jobs.retention import delete_old
from core.course import Course, Privacy
from core.llm.scripted import ScriptedLLM
from core.store.drafts.filter import DraftFilter
from core.store.people.audit import Audit
from core.store.people.personal import PersonalSelection
from core.store.store import Store
from core.store.tables import DraftRow, DraftState, now
from tasks import ChooseFunctions, MendAnswer, WriteAnswer, WrittenAnswer
from tests.app.asking import calls, written
from tests.app.commands import edumod
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.pipelines.images.drawing import drawn
from tests.pipelines.images.test_reading import needs_tesseract
from tests.servers.homes import database_of, rows

BODY = "I am Ada Byron (A12345678), ada@example.edu, +1 415 555 0132. Grace says homework 3 is due on Feb 19, is it?"
PERSONAL = ("Ada", "Byron", "A12345678", "ada@example.edu", "415 555", "Grace")
NOTHING = dict.fromkeys(
    ("drafts", "traces", "decisions", "deliveries", "judgements", "votes", "edits", "presence", "pictures",
     "forum posts", "labels",
     "evaluated questions", "evaluated answers", "roster", "past questions", "cached replies"), 0,
)  # fmt: skip
"""What a deletion that finds nothing says."""
PEOPLE = [{"name": "Ada Byron", "pseudonym": "s1"}]


@pytest.fixture
async def small(tmp_path: Path, material: Path, each_database: None) -> Path:
    """A course with a roster and a pattern of student ids."""
    home = tmp_path / "home"
    course = Course(id="small", title="Small", privacy=Privacy(student_id=r"\bA\d{8}\b"))
    await ingest_all(settings_in(home), material, course, Course(id="other", title="Other"))
    roster = tmp_path / "roster.csv"
    roster.write_text("pseudonym,name,aliases\ns2,Grace Hopper,Amazing Grace;G. Hopper\n", encoding="utf-8")
    done = await asyncio.to_thread(edumod, home, "privacy", "roster", str(roster), "--course", "small")
    assert "has 1 people" in done.stdout, done.stderr
    return home


def asked(pseudonym: str = "s1", thread: str = "t1", course: str = "small") -> dict[str, Any]:
    question = {"title": "Due date, Ada asks", "body": BODY}
    author = {"pseudonym": pseudonym}
    return {"course": course, "question": question, "people": PEOPLE, "author": author, "thread_id": thread}


def replying() -> ScriptedLLM:
    """A model that repeats the placeholders in a query and in its answer."""

    def choose(task: Any) -> Any:
        return calls("logistics_retrieval", query="PERSON_1: homework 3 due")

    def write(task: Any) -> WrittenAnswer:
        said = "Hi PERSON_1, PERSON_2 is right: February 19 [1]. I wrote to EMAIL\\_1, PHONE_1 and STUDENT_ID_1."
        return written(said)

    return ScriptedLLM({ChooseFunctions: [choose], WriteAnswer: [write], MendAnswer: [write]})


def ask(home: Path, llm: ScriptedLLM, *questions: dict[str, Any], stream: bool = False) -> list[httpx.Response]:
    accept = {"Accept": "text/event-stream"} if stream else {}
    with live(settings_in(home), llm) as client:
        return [client.post("/answer?pipeline=fc", json=one, headers=accept) for one in questions]


@pytest.mark.parametrize("stream", [False, True])
async def test_models_see_placeholders_and_the_answer_has_the_names(small: Path, stream: bool) -> None:
    llm = replying()
    (answer,) = await asyncio.to_thread(ask, small, llm, asked(), stream=stream)
    assert answer.status_code == 200, answer.text
    prompts = " ".join(task.model_dump_json() for task in llm.tasks)
    assert llm.tasks
    assert [one for one in PERSONAL if one in prompts] == []
    assert "PERSON_1 (STUDENT_ID_1), EMAIL_1, PHONE_1. PERSON_2 says homework 3" in prompts
    assert "Hi Ada" in answer.text
    assert "PERSON_" not in answer.text
    assert "EMAIL" not in answer.text
    stored = json.dumps(rows(small, "SELECT CAST(response AS TEXT), CAST(steps AS TEXT) FROM draft, trace"))
    assert "PERSON_" not in stored
    assert "STUDENT_ID_" not in stored


@needs_tesseract
async def test_models_see_placeholders_for_what_is_read_in_a_picture_too(small: Path) -> None:
    picture = drawn("Ada Byron and Grace Hopper (A12345678)\nwrote to ada@example.edu\nKeyError: 'station'")
    llm = replying()
    image = {"media_type": "image/png", "data": base64.b64encode(picture).decode()}
    question = {**asked(), "question": {"body": "What is wrong here, asks Ada?", "images": [image]}}
    (answer,) = await asyncio.to_thread(ask, small, llm, question)
    prompts = " ".join(task.model_dump_json() for task in llm.tasks)
    assert "PERSON_1 and PERSON_2 (STUDENT_ID_1)\\nwrote to EMAIL_1\\nKeyError" in prompts
    assert [one for one in PERSONAL if one in prompts] == []
    read = answer.json()["trace"][0]
    assert (read["kind"], "Grace Hopper (A12345678)" in read["note"]) == ("read", True)


def files_in(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


async def test_what_is_stored_about_a_student_is_exported_and_deleted(small: Path, tmp_path: Path) -> None:
    llm = replying()
    questions = [asked("s1", "t1"), asked("s1", "t2"), asked("s2", "t1"), asked("s1", "t1", "other")]
    answers = await asyncio.to_thread(ask, small, llm, *questions)
    assert [one.status_code for one in answers] == [200] * 4
    of_draft = {"item": answers[0].json()["draft_id"]}
    await asyncio.to_thread(rows, small, "INSERT INTO label VALUES ('small', 'retrieval', :item, '{}')", **of_draft)
    cache = small / "cache" / "llm" / "aa"
    cache.mkdir(parents=True)
    (cache / "aa.json").write_text("{}")

    def run(*arguments: str) -> Any:
        done = edumod(small, "privacy", *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def work() -> None:
        target = tmp_path / "export.json"
        run("export", str(target), "--pseudonym", "s2", "--course", "small")
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        exported = json.loads(target.read_text(encoding="utf-8"))
        assert [one["thread_id"] for one in exported["drafts"]] == ["t1"]
        assert len(exported["traces"]) == 1
        assert [one["name"] for one in exported["roster"]] == ["Grace Hopper"]
        by_course = ("--pseudonym", "s1", "--course", "small", "--json")
        expected = NOTHING | {"drafts": 2, "traces": 2, "labels": 1, "cached replies": 1}
        assert run("delete", *by_course, "--dry-run") == {"dry_run": True, "deleted": expected}
        assert rows(small, "SELECT count(*) FROM draft") == [(4,)]
        assert run("delete", *by_course) == {"dry_run": False, "deleted": expected}
        assert rows(small, "SELECT count(*) FROM draft") == [(2,)]
        assert not list(cache.iterdir())
        assert run("delete", "--thread", "t1", "--json")["deleted"]["drafts"] == 2
        assert rows(small, "SELECT count(*) FROM trace") == [(0,)]
        assert run("delete", "--pseudonym", "s2", "--json")["deleted"] == NOTHING | {"roster": 1}
        assert [one for one in PERSONAL for file in files_in(small) if one.encode() in file.read_bytes()] == []
        assert edumod(small, "privacy", "delete").returncode == 2

    await asyncio.to_thread(work)
    actions = [one.action for one in await entries(small)]
    assert actions.count("privacy.delete") == 3
    assert "privacy.export" in actions


def test_every_table_that_refers_to_drafts_is_exported_and_counted() -> None:
    tables = SQLModel.metadata.tables.values()
    referring = {one for one in tables if any(key.target_fullname == "draft.id" for key in one.foreign_keys)}
    assert {column.table for column in PersonalSelection(pseudonym="s1").columns.values()} >= referring


async def entries(home: Path) -> list[Any]:
    store = await Store.open(database_of(home))
    found = await Audit(store.database).page()
    await store.aclose()
    return found


async def test_reads_of_answers_and_traces_are_in_the_audit_log(small: Path) -> None:
    def work() -> list[tuple[str, str]]:
        with live(settings_in(small), replying()) as client:
            answer = client.post("/answer?pipeline=fc", json=asked()).json()
            client.get(f"/answers/{answer['draft_id']}")
            client.get(f"/traces/{answer['trace_id']}")
            client.get("/answers/unknown")
        return [("trace.read", answer["trace_id"]), ("answer.read", answer["draft_id"])]

    expected = await asyncio.to_thread(work)
    found = [(one.action, one.subject) for one in await entries(small) if one.action.endswith(".read")]
    assert sorted(found) == sorted(expected)


async def test_what_a_course_keeps_for_a_while_is_deleted_afterwards(database_url: str) -> None:
    store = await Store.open(database_url)
    for course, days in (("short", 30), ("long", None)):
        config = Course(id=course, privacy=Privacy(keep_days=days)).model_dump(mode="json")
        await store.courses.put(course, config)
        for age in (29, 31):
            draft = DraftRow(
                id=f"{course}{age}", course_id=course, state=DraftState.FAILED, created_at=now() - timedelta(days=age)
            )
            await store.drafts.begin(draft)
    await delete_old(store)
    kept = {one.id for one in (await store.drafts.page(DraftFilter(now()), None, 10)).drafts}
    await store.aclose()
    assert kept == {"short29", "long29", "long31"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("name\nAda\n", "pseudonym"),
        ("pseudonym,name\ns1,\n", "line 2"),
        ("pseudonym,name\na,A\na,B\n", "line 3"),
        ("", "column"),
    ],
)
async def test_a_roster_that_cannot_be_read_says_where(home: Path, tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "roster.csv"
    file.write_text(content, encoding="utf-8")
    refused = await asyncio.to_thread(edumod, home, "privacy", "roster", str(file), "--course", "small")
    assert (refused.returncode, says in refused.stderr) == (2, True), refused.stderr
