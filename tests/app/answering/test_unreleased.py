"""What is not released, and what is for staff alone, has no name in anything that students or a forum can read."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.wiring import build_services
from core.course import Course, DocumentRule
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.types import Audience, FunctionCall, Visibility
from pipelines import PIPELINES
from retrievers import RETRIEVERS
from safeguards.citations import STAFF_ONLY
from tasks import ChooseFunctions, WriteAnswer
from tests.app.conftest import HOMEWORK, HOMEWORK_SOLUTION, SYLLABUS, THREAD, ingest_all
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder
from tests.pipelines.runs import written


def homework(number: int, topic: str) -> str:
    return (
        f"# Homework {number}: {topic}\n\n## Question 1: {topic} warm-up\n\nState what {topic} means for the jury.\n\n"
        f"## Question 2: {topic} in depth\n\nCompute the {topic} of the jury's votes.\n"
    )


def solution(number: int, topic: str) -> str:
    solved = f"\n**Solution:** Sort the ballots by {topic} and divide by nineteen.\n"
    return homework(number, topic) + solved + f"\n## Grading {topic}\n\nTwo points for the ballots.\n"


OPEN = {"assignments/hw3.md": HOMEWORK, "assignments/hw3_sol.md": HOMEWORK_SOLUTION, "qa/threads.jsonl": THREAD,
        "logistics/syllabus.md": SYLLABUS, "textbook/01.md": "# Juries\n\nA jury votes by ballots.\n"}  # fmt: skip
UNRELEASED = {
    "assignments/hw5/hw5.md": homework(5, "Zymurgy"), "assignments/hw5/hw5_sol.md": solution(5, "Zymurgy"),
    "textbook/09.md": "# Quixotry\n\nThe jury reads about Quixotry and ballots.\n",
}  # fmt: skip
STAFF = {
    "assignments/hw6/hw6.md": homework(6, "Xylography"), "assignments/hw6/hw6_sol.md": solution(6, "Xylography"),
    "assignments/hw7/hw7_sol.md": solution(7, "Vexillology"),
    "logistics/ta_jury.md": "# Wainwrights\n\nJury ballots.\n",
}  # fmt: skip
NAMES = ("zymurgy", "hw5", "homework 5", "quixotry", "09.md",
         "xylography", "hw6", "homework 6", "vexillology", "hw7", "homework 7", "wainwright", "ta_jury")  # fmt: skip
"""Of what students must not know, in small letters."""
ASKED = ("compute the ballots of the jury's votes", "hw5 q2", "homework 6 question 1", "hw7 2", "what is a jury?")
TOMORROW = datetime.now(UTC) + timedelta(days=1)
RULES = (
    DocumentRule(match="assignments/hw5/hw5.md", release_at=TOMORROW),
    DocumentRule(match="textbook/09.md", release_at=TOMORROW),
    DocumentRule(match="assignments/hw6/hw6.md", visibility=Visibility.STAFF),
    DocumentRule(match="logistics/ta_*", visibility=Visibility.STAFF),
)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course `whole`; `released` lacks what is not released, and what is for staff too, `open` has nothing else."""
    home = tmp_path_factory.mktemp("home")
    files = {"whole": OPEN | UNRELEASED | STAFF, "released": OPEN | STAFF, "open": OPEN}
    for name, content in files.items():
        folder = write(tmp_path_factory.mktemp(name), content)
        asyncio.run(ingest_all(settings_in(home), folder, Course(id=name, documents=RULES)))
    return home


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def ask(client: httpx.Client, course: str, text: str, **more: Any) -> httpx.Response:
    response = client.post("/answer", json={"course": course, "question": {"body": text}}, **more)
    assert response.status_code == 200
    return response


def named(text: str, asked: str) -> list[str]:
    """The names that stand in a text and were not given by the question, in whatever spelling of a homework's name."""
    given = asked.casefold().replace("hw", "homework ") + asked.casefold().replace("homework ", "hw")
    # A page's nonce is random letters, in which any short name may stand.
    shown = re.sub(r'nonce="[^"]*"', "", text).casefold()
    return [name for name in NAMES if name in shown and name not in given]


@pytest.mark.parametrize("retriever", [one.name for one in RETRIEVERS])
@pytest.mark.parametrize("text", ASKED)
def test_no_name_of_what_students_may_not_see_stands_in_an_answer_or_its_trace(
    client: httpx.Client, retriever: str, text: str
) -> None:
    params = {"retriever": retriever, "top_k": 20, "pipeline": "fc_forced"}
    response = ask(client, "whole", text, params=params)
    trace = f"/traces/{response.json()['trace_id']}"
    for shown in (response.text, client.get(trace).text, client.get(f"{trace}/page").text):
        assert named(shown, text) == []


@pytest.mark.parametrize("pipeline", [one.name for one in PIPELINES])
def test_no_event_of_a_stream_names_it(client: httpx.Client, pipeline: str) -> None:
    events = {"params": {"pipeline": pipeline, "top_k": 20}, "headers": {"Accept": "text/event-stream"}}
    for text in ASKED:
        assert named(ask(client, "whole", text, **events).text, text) == []


@pytest.mark.parametrize("text", ASKED)
def test_what_is_not_released_changes_nothing_about_an_answer(client: httpx.Client, text: str) -> None:
    def told(course: str) -> dict[str, Any]:
        body = ask(client, course, text, params={"top_k": 20}).json()
        # Searches run at the same time, and are listed as they end.
        steps = sorted(
            [step["kind"], str(step["arguments"]), [(one["document"], one["score"]) for one in step["passages"]]]
            for step in body["trace"]
        )
        shown = ("status", "answer", "confidence", "function_calls", "warnings")
        return {name: body[name] for name in shown} | {"steps": steps, "cited": len(body["citations"])}

    assert told("whole") == told("released")


def test_a_course_counts_what_students_may_read(client: httpx.Client) -> None:
    material = {one["id"]: one["material"] for one in client.get("/courses").json()}
    assert material["whole"] == material["released"] == material["open"]
    assert {one["source"]: one["documents"] for one in material["open"]} == {
        "assignment": 1, "logistics": 1, "qa": 1, "textbook": 1,
    }  # fmt: skip


def scripted(query: str) -> ScriptedLLM:
    call = FunctionCall(id="1", name="assignment_retrieval", arguments={"query": query})
    return ScriptedLLM(
        {
            ChooseFunctions: [Choice(calls=(call,))],
            WriteAnswer: [written("Divide by the jurors [1]. Then stop [2][3].")],
        }
    )


def prompted(llm: ScriptedLLM) -> str:
    return json.dumps([task.model_dump(mode="json") for task in llm.tasks])


def test_the_model_sees_released_staff_material_and_nothing_unreleased(home: Path) -> None:
    llm = scripted("jury votes homework 6 homework 5 homework 7")
    with live(settings_in(home), llm) as client:
        ask(client, "whole", "How do I compute it?", params={"pipeline": "fc", "retriever": "bm25", "top_k": 50})
    seen = prompted(llm)
    assert "Xylography" in seen
    assert "Vexillology" in seen
    assert "Zymurgy" not in seen


def test_an_answer_from_staff_only_material_alone_warns_without_naming_it(home: Path) -> None:
    llm = scripted("Xylography Vexillology")
    with live(settings_in(home), llm) as client:
        response = ask(client, "whole", "How?", params={"pipeline": "fc", "retriever": "bm25", "top_k": 3})
    body = response.json()
    assert body["answer"] == "Divide by the jurors. Then stop."
    assert body["citations"] == []
    assert STAFF_ONLY in body["warnings"]
    del body["function_calls"], body["trace"]  # They hold the query, in the words of this test.
    assert named(json.dumps(body), "How?") == []


async def test_what_becomes_released_is_found_while_the_service_runs(home: Path) -> None:
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    try:
        clock = TOMORROW - timedelta(seconds=1)
        services.indexes._clock = lambda: clock
        before = (await services.indexes.get("whole", audience=Audience.STAFF)).passages
        clock = TOMORROW
        after = (await services.indexes.get("whole", audience=Audience.STAFF)).passages
    finally:
        await services.aclose()
    new = {passage.document for passage in after} - {passage.document for passage in before}
    assert new >= {"assignments/hw5/hw5.md", "textbook/09.md"}
    solved = [passage for passage in after if passage.document == "assignments/hw5/hw5.md" and passage.solution]
    assert solved
    assert all(passage.visibility is Visibility.STUDENT for passage in solved)
