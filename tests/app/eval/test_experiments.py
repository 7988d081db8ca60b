"""Whole experiments on answers as processes: configurations, people, limits, models, judges, and a damaged build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import edumod
from tests.app.eval.test_answers import DUE, write, write_course
from tests.servers.llama import LlamaServer

pytestmark = pytest.mark.slow

FOLLOW_UP = {
    "id": "a9",
    "split": "test",
    "question": {"body": "And when is it due?", "thread": [{"body": "What is in homework 1?", "role": "student"}]},
}
LABEL = {"id": "a9", "kind": "thread", "expects": "answer", "passages": [DUE], "reference": "On March 10."}
DAMAGED = """
from offline import extraction
whole = extraction._sections
extraction._sections = lambda post, ranked, *rest: whole(post, ranked[::-1], *rest)
from app.cli import main
main()
"""
"""A build whose writing rule quotes the worst passage instead of the best."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the course `small`, in which one message has a thread."""
    folder = tmp_path_factory.mktemp("experiments")
    course = write_course(folder)
    for name, row in (("questions", FOLLOW_UP), ("labels", LABEL)):
        path = folder / "labels" / "answers" / f"{name}.jsonl"
        write(path, [*map(json.loads, path.read_text(encoding="utf-8").splitlines()), row])
    loaded = edumod(folder / "home", "course", "load", str(course))
    assert loaded.returncode == 0, loaded.stderr
    return folder / "home"


def experiment(folder: Path, text: str) -> str:
    path = folder / "experiment.yaml"
    path.write_text(f"course: small\n{text}", encoding="utf-8")
    return str(path)


def test_three_pipelines_two_retrievers_people_and_a_left_out_thread(home: Path, tmp_path: Path) -> None:
    answered = [{"id": name, "answer": "It is due on March 10."} for name in ("f1", "f2", "a1", "a2", "a3", "a9")]
    write(tmp_path / "ta.jsonl", answered)
    file = experiment(
        tmp_path,
        "vary:\n  pipeline: [fc, fc_forced, edison]\n  retriever: [tree, bm25]\n"
        "judges: [teaching_points, grounded]\nwithout: [thread]\nactors: ['answers:ta.jsonl']\n",
    )
    options = ("--experiment", file, "--page", str(tmp_path / "page.html"), "--json")
    ended = edumod(home, "eval", "answers", *options)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert len(report["actors"]) == 3 * 2 * 2 + 1
    assert {one["without"]: one["n"] for one in report["ablations"]} == {"thread": 1}
    assert len(report["ablations"]) == 6
    for figures in report["actors"].values():
        found = figures["judged"]["teaching_points"]
        assert found["n"] == sum(found["distribution"]) + found["unanswered"] + found["unscored"] == 4
    assert report["actors"]["answers:ta.jsonl"]["latency_ms"]["p50"] is None
    assert set(report["front"]["actors"]) <= set(report["actors"]) - {"answers:ta.jsonl"}
    assert report["differing"][0]["best"]["score"] > report["differing"][0]["worst"]["score"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in (
        "Pareto front",
        "What left-out fields are worth",
        "Agreement of the judges",
        "<summary>Trace</summary>",
    ):
        assert words in page


def test_the_plan_is_told_before_anything_is_asked(home: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, "vary: {pipeline: [fc, edison]}\njudges: [edumod]\n")
    before = edumod(home, "eval", "list", "--json").stdout
    planned = edumod(home, "eval", "answers", "--experiment", file, "--dry-run", "--json")
    assert (planned.returncode, edumod(home, "eval", "list", "--json").stdout) == (0, before)
    plan = json.loads(planned.stdout)
    assert [one["outputs"] for one in plan["actors"]] == [6, 6]
    assert (plan["model_calls"], plan["cost_usd"]) == (0, 0)
    shown = edumod(home, "eval", "answers", "--experiment", file, "--dry-run").stdout
    assert "6 messages of small, 1 seed, 2 configurations, 1 judge" in shown


def test_compare_fails_a_build_whose_writing_rule_is_damaged(home: Path) -> None:
    command = ("eval", "answers", "--course", "small", "--pipeline", "fc", "--judge", "teaching_points", "--json")
    whole = json.loads(edumod(home, *command).stdout)
    environment = {**os.environ, "EDUMOD_HOME": str(home)}
    program = [sys.executable, "-c", DAMAGED, *command]
    ended = subprocess.run(program, env=environment, capture_output=True, check=True)
    damaged = json.loads(ended.stdout)
    ids = (whole["evaluation"], damaged["evaluation"])
    compared = edumod(home, "eval", "compare", *ids, "--fail-on", "cited_first:-0.2")
    assert compared.returncode == 3
    assert "cited_first went from" in compared.stderr
    assert edumod(home, "eval", "compare", ids[0], ids[0], "--fail-on", "cited_first:-0.2").returncode == 0


def test_two_models_are_measured_and_a_third_judges(
    home: Path, tmp_path: Path, llama: LlamaServer, llama_without_tools: LlamaServer
) -> None:
    servers = {"a": llama, "b": llama_without_tools, "third": llama}
    models = {
        alias: {
            "base_url": server.base_url, "api_key_env": "TINY_KEY", "model": server.model,
            "prices": {"input": 1.0, "output": 2.0}, "capabilities": ["json_schema"],
        }
        for alias, server in servers.items()
    }  # fmt: skip
    (tmp_path / "models.yaml").write_text(json.dumps({"models": models}), encoding="utf-8")
    judges = "judges: [teaching_points@third, teaching_points@offline]\n"
    file = experiment(
        tmp_path, f"base: {{pipeline: edison, temperature: 1}}\nvary: {{model: [a, b]}}\nseeds: 2\n{judges}"
    )
    settings = {"EDUMOD_MODELS_FILE": str(tmp_path / "models.yaml"), "TINY_KEY": llama.api_key}
    ended = edumod(home, "eval", "answers", "--experiment", file, "--concurrency", "4", "--json", **settings)
    # A model of random weights does not always say what can be read.
    assert ended.returncode in (0, 1), ended.stderr
    assert "6 messages of small, 2 seeds, 2 configurations, 2 judges: at most" in ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    assert list(report["actors"]) == ["model=a", "model=b"]
    for figures in report["actors"].values():
        assert figures["cost_usd"] > 0
        for found in figures["judged"].values():
            assert found["n"] == sum(found["distribution"]) + found["unanswered"] + found["unscored"] == 4 * 2
    third = report["judges"]["teaching_points@third"]
    assert (third["form"], third["model"], third["failed"]) == ("model", "third", 0)
    assert third["unscored"] == sum(third["unscored_reasons"].values()) <= third["n"]
    assert third["n"] == 0 or third["per_100"]["cost_usd"] > 0
    assert report["judges"]["teaching_points@offline"]["form"] == "computed"
