"""Evaluations recorded with an endpoint and run again from the recording, as processes without any endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.answering.test_failing_endpoint import answer, endpoint
from tests.app.commands import edumod
from tests.app.eval.test_answers import write, write_course

GRADES = {"reasons": "No date.", "quotes": [], "factuality": 2, "relevance": 4, "style": 3}
"""The same reply serves the writer and the judge: each leaves out what is the other's."""
EDISON = ("eval", "answers", "--course", "small", "--pipeline", "edison", "--retriever", "bm25")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = write_course(tmp_path_factory.mktemp("replay"))
    loaded = edumod(course.parent / "home", "course", "load", str(course))
    assert loaded.returncode == 0, loaded.stderr
    return course.parent / "home"


@pytest.fixture(scope="module")
def recording(home: Path) -> Path:
    path = home.parent / "recorded.jsonl"
    with endpoint(answer(confidence=0.4, **GRADES)) as server:
        settings = {"EDUMOD_LLM_BASE_URL": server.base_url, "EDUMOD_LLM_MODEL": "faulty"}
        recorded = {"EDUMOD_LLM_RECORD": str(path), "EDUMOD_LLM_RECORD_ORIGIN": "written for a test"}
        ended = edumod(home, *EDISON, "--judge", "edumod", "--json", **settings, **recorded)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)["remarks"] == []
    return path


def test_the_figures_are_those_of_the_recorded_run_and_marked_as_replayed(home: Path, recording: Path) -> None:
    ended = edumod(home, *EDISON, "--replay", str(recording), "--json")
    assert ended.returncode == 0, ended.stderr
    report: Any = json.loads(ended.stdout)
    (figures,) = report["actors"].values()
    assert (report["model"], figures["replayed"], report["unrecorded"]) == ("faulty", True, {})
    assert figures["tokens"] > 0
    assert figures["latency_ms"] == {"p50": None, "p95": None}, "nobody waited for the model"
    assert report["conditions"]["recording"]["origin"] == "written for a test"
    assert "written for a test" in ended.stderr
    shown = edumod(home, "eval", "show", report["evaluation"])
    assert "replayed" in shown.stdout


def test_judgements_are_replayed_and_each_criterion_has_a_column_in_tables_pages_and_exports(
    home: Path, recording: Path
) -> None:
    page = home.parent / "page.html"
    options = ("--judge", "edumod", "--replay", str(recording), "--page", str(page), "--json")
    ended = edumod(home, *EDISON, *options)
    assert ended.returncode == 0, ended.stderr
    report: Any = json.loads(ended.stdout)
    (figures,) = report["actors"].values()
    criteria = {name: mean["mean"] for name, mean in figures["judged"]["edumod"]["criteria"].items()}
    assert criteria == {"factuality": 2, "relevance": 4, "style": 3}
    shown = edumod(home, "eval", "show", report["evaluation"], COLUMNS="80").stdout
    assert "edumod, by criterion" in shown
    assert "<th>by criterion</th>" in page.read_text(encoding="utf-8")
    exported = edumod(home, "eval", "export", report["evaluation"], "--format", "csv").stdout
    heads = exported.splitlines()[0].split(",")
    assert [name for name in heads if name.startswith("edumod.")] == [f"edumod.{name}" for name in criteria]


def test_what_is_not_recorded_fails_and_is_counted_by_prompt(home: Path, recording: Path) -> None:
    ended = edumod(home, *EDISON, "--split", "all", "--replay", str(recording), "--json")
    assert ended.returncode == 1
    report: Any = json.loads(ended.stdout)
    (figures,) = report["actors"].values()
    assert figures["unscored"] == 1
    ((prompt, count),) = report["unrecorded"].items()
    assert (prompt.split()[0], count) == ("WriteAnswer", 1)
    assert f"1 requests of {prompt} are not in the recording" in ended.stderr
    assert f"Not in recorded.jsonl: 1 requests of {prompt}" in ended.stderr


def test_offline_and_replayed_answers_stand_side_by_side(home: Path, recording: Path, tmp_path: Path) -> None:
    base = {"pipeline": "edison", "retriever": "bm25"}
    varied = {"course": "small", "base": base, "vary": {"model": ["offline", "faulty"]}}
    (file := tmp_path / "e.yaml").write_text(json.dumps(varied))
    ended = edumod(home, "eval", "answers", "--experiment", str(file), "--replay", str(recording), "--json")
    assert ended.returncode == 0, ended.stderr
    actors = json.loads(ended.stdout)["actors"]
    assert {name: one["replayed"] for name, one in actors.items()} == {"model=offline": False, "model=faulty": True}


def test_a_recording_that_cannot_be_read_is_refused_before_anything_is_measured(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "empty.jsonl", [{"origin": "nobody"}])
    for name, complaint in (("empty.jsonl", "nothing to replay"), ("absent.jsonl", "No such file")):
        ended = edumod(home, *EDISON, "--replay", str(tmp_path / name))
        assert ended.returncode in (2, 5)
        assert complaint in ended.stderr
    ended = edumod(
        home, *EDISON, EDUMOD_LLM_RECORD=str(tmp_path / "r.jsonl.gz"), EDUMOD_LLM_BASE_URL="http://127.0.0.1:9/v1"
    )
    assert "cannot grow" in ended.stderr
