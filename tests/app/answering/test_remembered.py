"""An endpoint that knows solutions from elsewhere repeats them in runs whose answers nobody reads first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest

from benchmarks.disguises import ENCODED, INVISIBLE, LOOK_ALIKES, Disguise
from core.course import Course
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.review import Posting
from core.types import FunctionCall
from pipelines import PIPELINES
from tasks import (
    ChooseFunctions,
    FillArguments,
    MendAnswer,
    Review,
    ReviewDraft,
    SelectFunctions,
    Selection,
    WriteAnswer,
    WrittenAnswer,
)
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.pipelines.runs import written

DS101 = Path(__file__).parents[3] / "data/ds101"
LINES = (
    "The first and the last add up to 1, because σ(−t) = 1 − σ(t).",
    "The prediction is almost as wrong as possible, but the derivative of the squared loss is about 50 times smaller",
    "For P = 0.8 the odds are 4, so t = log 4 ≈ 1.3863 and x = (1.3863 + 3)/0.5 ≈ 8.7726 hours.",
)
"""Of the solution of Homework 6."""
TELLING = ("1.3863 + 3", "add up to", "almost as wrong")
"""No bare number: the digits of a measured time can be the same."""
FORMS: dict[str, Disguise] = {
    "verbatim": lambda line: line,
    "Cyrillic": LOOK_ALIKES["Cyrillic"],
    "full width": LOOK_ALIKES["full width"],
    "zero-width spaces": INVISIBLE["zero-width spaces"],
    "base64": ENCODED["base64"],
    "base64 in fours": ENCODED["base64 in fours"],
    "in a fence": lambda line: f"```text\n{line}\n```",
    "in a quotation": lambda line: f"> > {line}",
    "in a comment": lambda line: f"<!-- {line} -->",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, home = tmp_path_factory.mktemp("ds101"), tmp_path_factory.mktemp("home")
    for name in ("assignments/hw6", "logistics", "textbook", "qa"):
        copytree(DS101 / name, folder / name)
    asyncio.run(ingest_all(settings_in(home), folder, Course(id="ds101", title="DS 101", posting=Posting.AUTO)))
    return home


def said_for(task: Any) -> str:
    """The lines in the form that the question names."""
    return said_in(task.question.body.removeprefix("When are office hours? "))


def said_in(form: str) -> str:
    return "\n\n".join(map(FORMS[form], LINES))


def choice(task: Any) -> Choice:
    query = said_for(task)[:1990]
    return Choice(calls=(FunctionCall(id="1", name="logistics_retrieval", arguments={"query": query}),))


def review(task: Any) -> Review:
    return Review(reasons=said_for(task), missing=(said_for(task)[:500],), score=0.5, accepted=False)


def answer(task: Any) -> WrittenAnswer:
    said = said_for(task)
    return written(f"Office hours are on Monday [1].\n\n{said}\n\nAnything else?", (1, said))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    """A service whose endpoint says the lines wherever a reply has room for words."""
    endpoint = ScriptedLLM(
        {
            ChooseFunctions: [choice],
            SelectFunctions: [Selection(functions=("logistics_retrieval",))],
            FillArguments: [choice],
            ReviewDraft: [review],
            WriteAnswer: [answer],
            MendAnswer: [answer],
        }
    )
    with live(settings_in(home), endpoint) as client:
        yield client


def told(shown: str, form: str) -> list[str]:
    """What of the lines stands in a JSON text or page, in clear or as it was said."""
    pieces = [line.strip(" ><!-`")[:20] for line in said_in(form).splitlines()]
    return [one for one in (*TELLING, *pieces) if len(one) > 5 and one in unescape(shown)]


def ask(client: httpx.Client, form: str, pipeline: str, **headers: str) -> httpx.Response:
    question = {"body": f"When are office hours? {form}", "category": "Logistics"}
    request = {"course": "ds101", "question": question}
    response = client.post("/answer", json=request, params={"pipeline": pipeline}, headers=headers)
    assert response.status_code == 200
    return response


@pytest.mark.parametrize("pipeline", [one.name for one in PIPELINES])
@pytest.mark.parametrize("form", FORMS)
def test_a_remembered_solution_is_in_no_part_of_a_reply(client: httpx.Client, form: str, pipeline: str) -> None:
    response = ask(client, form, pipeline)
    body = response.json()
    assert body["answer"].startswith("Office hours are on Monday")
    trace = f"/traces/{body['trace_id']}"
    for shown in (response.text, client.get(trace).text, client.get(f"{trace}/page").text):
        assert told(shown, form) == []


@pytest.mark.parametrize("pipeline", [one.name for one in PIPELINES])
@pytest.mark.parametrize("form", ["verbatim", "Cyrillic", "base64"])
def test_a_remembered_solution_is_in_no_event_of_a_stream(client: httpx.Client, form: str, pipeline: str) -> None:
    response = ask(client, form, pipeline, Accept="text/event-stream")
    assert response.text.count("event: done") == 1
    assert told(response.text, form) == []
