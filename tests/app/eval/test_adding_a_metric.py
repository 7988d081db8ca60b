"""A metric and a kind of actor are one file and one line each: shown in a copy of the program, by its command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.copies import copy_program, edumod, replace_in

pytestmark = pytest.mark.slow

METRIC = '''"""`words@K`."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from core.score import Score
from eval.metrics.base import Direction, Metric, MetricUnit, Output
from eval.datasets.queries import KIND, Query


@dataclass(frozen=True)
class Words(Metric[Query]):
    stem: ClassVar[str] = "words"
    summary: ClassVar[str] = "Words in the names of the first K locations."
    version: ClassVar[str] = "1"
    unit: ClassVar[MetricUnit] = MetricUnit.COUNT
    direction: ClassVar[Direction] = Direction.LOWER
    evaluation: ClassVar[str | None] = KIND

    k: int = Field(ge=1)

    def score(self, item: Query, output: Output) -> Score:
        return Score(value=sum(len(location.split()) for location in output.content[: self.k]))
'''
ACTOR = '''"""`always:LOCATION`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.llm.base import LLM
from eval.actors.base import ActorKind
from eval.datasets.queries import KIND, Query


@dataclass(frozen=True)
class Always(ActorKind[Query]):
    kind: ClassVar[str] = "always"
    evaluation: ClassVar[str] = KIND
    spec: ClassVar[str] = "LOCATION"

    name: str
    identity: str = ""

    @classmethod
    def made(cls, spec: str, setup: Any) -> Self:
        return cls(spec)

    async def act(self, item: Query, seed: int, llm: LLM) -> list[str]:
        return [self.name]
'''


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with two more files and a line for each."""
    program = copy_program(tmp_path_factory.mktemp("program"))
    add(program / "eval" / "metrics", "words", METRIC, "Words", "LatencyMs,\n)\n")
    add(program / "eval" / "actors", "always", ACTOR, "Always", "    LimitActor,\n)\n")
    return program


def add(package: Path, module: str, content: str, name: str, last: str) -> None:
    (package / f"{module}.py").write_text(content, encoding="utf-8")
    listed = package / "__init__.py"
    replace_in(listed, "from core.errors", f"from eval.{package.name}.{module} import {name}\nfrom core.errors")
    replace_in(listed, last, last.replace(")", f", {name})").replace(",\n, ", ",\n    "))


def test_they_are_measured_shown_and_stored(copied: Path, home: Path) -> None:
    def run(*arguments: str) -> str:
        return edumod(copied, home, "eval", *arguments)

    options = ("--course", "small", "--retriever", "bm25", "--actor", "always:one two", "--metric", "words@1")
    report = json.loads(run("retrieval", *options, "--json"))
    assert report["retrievers"]["one two"]["words@1"] == {"mean": 2.0, "low": 2.0, "high": 2.0}
    assert [one["direction"] for one in report["metrics"] if one["name"] == "words@1"] == ["lower"]
    assert "words@1" in run("show", report["evaluation"])
    sides = (f"{report['evaluation']}:bm25", f"{report['evaluation']}:one two")
    assert "words@1" in run("compare", *sides, "--fail-on", "words@1:+5")
