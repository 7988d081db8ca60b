"""A pipeline is one file and one word: shown by adding one to a copy of the program and asking it over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.app.copies import copy_program, replace_in, served

pytestmark = pytest.mark.slow

PIPELINE = '''"""Calls every function that the course has."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from core.types import Answer, FunctionCall
from posts.query import search_query
from pipelines.run import Run


@dataclass(frozen=True)
class Everything:
    name: ClassVar[str] = "everything"
    summary: ClassVar[str] = "Every function, each so many times."
    model_calls: ClassVar[str] = "1"

    times: int = Field(default=1, ge=1, le=3, description="Calls of each function.")

    async def answer(self, run: Run) -> Answer:
        query = search_query(run.question)
        for number in range(self.times):
            arguments = {"query": f"{query} {number}"}
            await run.search([FunctionCall(id=f"{one.name}{number}", name=one.name, arguments=arguments)
                              for one in run.functions])
        return await run.write()
'''


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[httpx.Client]:
    """The program with one more file and one more word, running."""
    program = copy_program(tmp_path_factory.mktemp("program"))
    (program / "pipelines" / "everything.py").write_text(PIPELINE, encoding="utf-8")
    listed = program / "pipelines" / "__init__.py"
    edison = "from pipelines.edison import Edison\n"
    replace_in(listed, edison, f"{edison}from pipelines.everything import Everything\n")
    replace_in(listed, "FcMultihop)\n", "FcMultihop, Everything)\n")
    with served(program, home) as client:
        yield client


def test_it_is_listed_with_its_parameters_and_answers(client: httpx.Client) -> None:
    listed = {one["name"]: one for one in client.get("/pipelines").json()}
    assert listed["everything"]["summary"] == "Every function, each so many times."
    body = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    found = client.post("/answer?pipeline=everything&times=2", json=body).json()
    assert found["status"] == "answered"
    assert len(found["function_calls"]) == 8
    assert (found["configuration"]["pipeline"], found["configuration"]["times"]) == ("everything", 2)


def test_its_parameter_is_documented_and_held_to_its_range(client: httpx.Client) -> None:
    parameters = client.get("/openapi.json").json()["paths"]["/answer"]["post"]["parameters"]
    (times,) = [one for one in parameters if one["name"] == "times"]
    assert "Calls of each function." in times["description"]
    body = {"course": "small", "question": {"body": "When is homework 3 due?"}}
    assert client.post("/answer?pipeline=everything&times=4", json=body).status_code == 422
