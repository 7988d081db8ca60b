"""`edumod eval functions` as a process, and what the service says of it afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines import PIPELINES
from retrievers.functions import COURSE_FUNCTIONS
from tests.app.commands import edumod
from tests.app.live import live, settings_in

COURSE = """id: small
material:
  textbook: [textbook]
  logistics: [logistics]
labels: labels
edison:
  default: []
  rules:
    - when: {any: [due]}
      call: [logistics_retrieval]
"""
MATERIAL = {
    "textbook/book.md": "# Tables\n\n## Joins\n\nTwo tables are merged on the columns that they share.\n",
    "logistics/syllabus.md": "# Syllabus\n\n## Homework\n\nHomework 1 is due on March 10.\n",
}
QUESTIONS = {
    "due": ("When is homework 1 due?", ["logistics_retrieval"]),
    "late": ("until when can we hand in the homework", ["logistics_retrieval"]),
    "join": ("How are two tables merged?", ["textbook_retrieval"]),
    "thanks": ("Thank you, that solved it!", []),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the embedding model, and the course `small` with labelled questions."""
    folder = tmp_path_factory.mktemp("functions")
    (folder / "course.yaml").write_text(COURSE)
    for name, text in MATERIAL.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    labels = folder / "labels" / "functions"
    labels.mkdir(parents=True)
    asked = [{"id": name, "split": "test", "question": {"body": body}} for name, (body, _) in QUESTIONS.items()]
    marked = [
        {"id": name, "raters": {"a": wanted, "b": wanted}, "functions": wanted}
        for name, (_, wanted) in QUESTIONS.items()
    ]
    for name, rows in (("questions", asked), ("labels", marked)):
        (labels / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = edumod(folder / "home", "course", "load", str(folder / "course.yaml"))
    assert loaded.returncode == 0, loaded.stderr
    return folder / "home"


def evaluate(home: Path, *options: str) -> Any:
    ended = edumod(home, "eval", "functions", *options, "--json")
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def report(home: Path) -> Any:
    """All pipelines, under two seeds."""
    return evaluate(home, "--course", "small", "--seeds", "2", "--page", str(home / "page.html"))


def test_the_report_has_figures_for_each_pipeline(report: Any) -> None:
    assert (report["course"], report["n"], report["seeds"], report["split"]) == ("small", 4, 2, "test")
    assert list(report["pipelines"]) == [pipeline.name for pipeline in PIPELINES]
    for figures in report["pipelines"].values():
        assert 0 <= figures["set_f1"]["low"] <= figures["set_f1"]["mean"] <= figures["set_f1"]["high"] <= 1
        assert (figures["cost_usd"], figures["unscored"]) == (0, 0)
        assert figures["latency_ms"]["p50"] <= figures["latency_ms"]["p95"]
        assert set(figures["functions"]) == {function.name for function in COURSE_FUNCTIONS}
    # One keyword rule: right for one question, and for the one that needs nothing; it finds nothing for the others.
    assert report["pipelines"]["edison"]["set_f1"]["mean"] == 0.5
    assert report["pipelines"]["edison"]["model_calls"] == 1
    assert report["agreement"]["same_set"] == 1
    assert {one["than"] for one in report["comparisons"]} | {one["better"] for one in report["comparisons"]} >= {"fc"}


def test_the_page_stands_beside_it(home: Path, report: Any) -> None:
    page = (home / "page.html").read_text(encoding="utf-8")
    assert (
        f"set F1 {max(one['set_f1']['mean'] for one in report['pipelines'].values()):.3f}".replace(" 0.", " .") in page
    )
    assert "<svg" in page


def test_the_table_fits_a_terminal_of_80_columns(home: Path, report: Any) -> None:
    ended = edumod(home, "eval", "functions", "--course", "small", "--pipeline", "edison, multihop", COLUMNS="80")
    assert ended.returncode == 0, ended.stderr
    assert max(map(len, ended.stdout.split("\n"))) <= 80
    for words in ("small (test split): 4 questions, 1 seed, model offline", "fc_multihop", "Raters: same set for 1.00"):
        assert words in ended.stdout


def test_pipelines_are_listed_with_their_parameters_and_what_was_measured(home: Path, report: Any) -> None:
    with live(settings_in(home)) as client:
        listed = {one["name"]: one for one in client.get("/pipelines").json()}
    (measured,) = listed["fc_iterative"]["measured"]
    assert (measured["course"], measured["n"], measured["seeds"], measured["model"]) == ("small", 4, 2, "offline")
    assert measured["set_f1"] == report["pipelines"]["fc_iterative"]["set_f1"]
    assert measured["cost_usd"] == 0
    rounds = listed["fc_iterative"]["parameters"]["max_rounds"]
    assert (rounds["minimum"], rounds["maximum"], rounds["default"]) == (1, 10, 3)
    assert listed["fc"]["parameters"] == {}


def test_an_experiment_measures_each_combination(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(
        "course: small\nseeds: 2\nbase: {top_k: 2}\nvary:\n  pipeline: [edison, fc]\n  retriever: [bm25, hybrid]\n"
    )
    found = evaluate(home, "--experiment", str(file))
    assert (found["seeds"], found["baseline"]) == (2, "pipeline=edison retriever=bm25")
    assert list(found["pipelines"]) == [
        f"pipeline={pipeline} retriever={retriever}"
        for pipeline in ("edison", "fc")
        for retriever in ("bm25", "hybrid")
    ]
    assert len(found["comparisons"]) == 3
    table = edumod(home, "eval", "functions", "--experiment", str(file), COLUMNS="80")
    assert table.returncode == 0, table.stderr
    assert all(word in table.stdout for name in found["pipelines"] for word in name.split())


def test_calls_of_people_are_measured_beside_a_pipeline(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text(
        "".join(json.dumps({"id": name, "functions": wanted}) + "\n" for name, (_, wanted) in QUESTIONS.items())
    )
    found = evaluate(home, "--course", "small", "--pipeline", "edison", "--actor", f"calls:{file}")
    assert list(found["pipelines"]) == ["edison", "calls:people.jsonl"]
    assert found["pipelines"]["calls:people.jsonl"]["set_f1"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--course ID"),
        (["--course", "small", "--metric", "recall@5"], "set_f1, latency_ms"),
        (["--course", "nope"], "nope"),
        (["--course", "small", "--pipeline", "fc_forcd"], "fc_forced"),
        (["--course", "small", "--split", "dev"], "it has: test"),
        (["--course", "small", "--page", "no/such/page.html"], "there is no folder"),
        (["--course", "small", "--experiment", "x.yaml"], "Leave those options out"),
        (["--experiment", "missing.yaml"], "missing.yaml cannot be read"),
    ],
)
def test_wrong_input_exits_with_two_and_names_the_remedy(home: Path, options: list[str], complaint: str) -> None:
    ended = edumod(home, "eval", "functions", *options, COLUMNS="200")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert complaint in ended.stderr


def test_an_experiment_with_a_value_out_of_range_names_its_line(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text("course: small\nvary:\n  pipeline: [fc_iterative]\n  max_rounds: [2, 99]\n")
    ended = edumod(home, "eval", "functions", "--experiment", str(file), COLUMNS="200")
    assert ended.returncode == 2
    assert "line 4: vary.max_rounds" in ended.stderr
