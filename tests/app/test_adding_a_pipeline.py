"""A pipeline is one file and one word: shown by adding one to a copy of the program and asking it over HTTP."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "core", "eval", "ingestion", "pipelines", "retrievers")
PIPELINE = '''"""Calls every function that the course has."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from core.types import Answer, FunctionCall
from pipelines.query import search_query
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
SERVE = """
import sys
import uvicorn
from app.main import create_app
from app.wiring import build_services
from tests.fakes import FakeEmbedder

uvicorn.run(create_app(build=lambda settings: build_services(settings, embedder=FakeEmbedder())),
            port=int(sys.argv[1]), log_level="warning")
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with one more file and one more word."""
    folder = tmp_path_factory.mktemp("program")
    for package in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "golden"))
    (folder / "pipelines" / "everything.py").write_text(PIPELINE, encoding="utf-8")
    listed = (folder / "pipelines" / "__init__.py").read_text(encoding="utf-8")
    with_import = listed.replace(
        "from pipelines.edison import Edison\n",
        "from pipelines.edison import Edison\nfrom pipelines.everything import Everything\n",
    )
    (folder / "pipelines" / "__init__.py").write_text(
        with_import.replace("FcMultihop)\n", "FcMultihop, Everything)\n"), encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def client(copied: Path, home: Path) -> Iterator[httpx.Client]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    environment = {**clean, "EDUMOD_HOME": str(home), "PYTHONPATH": str(copied)}
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(port)], env=environment, cwd=copied)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _wait(client, process)
            yield client
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "The server did not start."
        try:
            if client.get("/healthz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("The server did not answer.")


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
