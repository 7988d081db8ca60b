"""A source is a member of an enum and an entry for its function: a copy of the program gets lectures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.app.copies import copy_program, environment, replace_in, served

pytestmark = pytest.mark.slow

FUNCTION = """    _function(
        Source.LECTURES,
        "Looks up what was said in lectures. For what the lecturer showed, remarked or announced.",
        resembles=Source.TEXTBOOK,
    ),
)


def course_function"""
INGEST = """
import asyncio, sys
from pathlib import Path
from app.wiring import build_services
from core.course import Course
from core.settings import read_settings
from core.types import Source
from ingestion.files import discover
from tests.fakes import FakeEmbedder

RULES = {"rules": [{"when": {"any": ["lecture"]}, "call": "lectures_retrieval"}]}

async def main():
    services = await build_services(read_settings(), embedder=FakeEmbedder())
    defaults = {"retriever.lectures": "bm25"}
    course = Course.model_validate({"id": "small", "edison": RULES, "defaults": defaults, "abstain_below": 0})
    await services.store.courses.put(course.id, course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        for source in (Source.LECTURES, Source.LOGISTICS):
            await ingestion.run(course, source, discover([Path(sys.argv[1]) / source]))
    await services.aclose()

asyncio.run(main())
"""
LECTURE = "# Lecture 7\n\n## Bayes\n\nThe lecturer showed a test for a rare disease to explain Bayes' rule.\n"
SYLLABUS = "# Syllabus\n\n## Homework due dates\n\nHomework 3 is due on February 19.\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    program, home = copy_program(tmp_path_factory.mktemp("program")), tmp_path_factory.mktemp("home")
    logistics = '    LOGISTICS = "logistics"\n'
    replace_in(program / "core" / "types.py", logistics, f'{logistics}    LECTURES = "lectures"\n')
    replace_in(program / "retrievers" / "functions.py", ")\n\n\ndef course_function", FUNCTION)
    for source, text in {"lectures": LECTURE, "logistics": SYLLABUS}.items():
        (home / "material" / source).mkdir(parents=True)
        (home / "material" / source / "one.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", INGEST, str(home / "material")]
    subprocess.run(command, env=environment(program, home), cwd=program, check=True)
    with served(program, home) as client:
        yield client


def asked(client: httpx.Client, query: str, body: str) -> Any:
    reply = client.post(f"/answer?{query}", json={"course": "small", "question": {"body": body}})
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.parametrize("pipeline", ["edison", "fc_forced"])
def test_a_pipeline_searches_it_and_cites_it(client: httpx.Client, pipeline: str) -> None:
    answer = asked(client, f"pipeline={pipeline}", "What did the lecture use to explain Bayes' rule?")
    assert "lectures_retrieval" in [call["name"] for call in answer["function_calls"]]
    assert [one["source"] for one in answer["citations"]] == ["lectures"]
    assert answer["configuration"]["retrievers"]["lectures"] == "bm25"


def test_its_retriever_is_chosen_by_a_request(client: httpx.Client) -> None:
    answer = asked(client, "pipeline=edison&retriever.lectures=vector", "Which test did the lecture show?")
    assert answer["configuration"]["retrievers"]["lectures"] == "vector"
    parameters = client.get("/openapi.json").json()["paths"]["/answer"]["post"]["parameters"]
    assert "retriever.lectures" in [one["name"] for one in parameters]


def test_the_router_still_knows_what_the_others_are_for(client: httpx.Client) -> None:
    answer = asked(client, "pipeline=fc", "When is homework 3 due?")
    assert [call["name"] for call in answer["function_calls"]] == ["logistics_retrieval"]
