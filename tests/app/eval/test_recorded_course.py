"""The recordings that come with DS 101 are whole: evaluations run from them without a model, and miss no request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import edumod

ROOT = Path(__file__).parents[3]
COURSE = ROOT / "data" / "ds101"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    loaded = edumod(folder, "course", "load", str(COURSE / "course.yaml"))
    assert loaded.returncode in (0, 1), loaded.stderr
    return folder


def replayed(home: Path, *arguments: str, recording: str) -> Any:
    ended = edumod(home, "eval", *arguments, "--replay", str(COURSE / "recorded" / recording), "--json")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["unrecorded"] == {}
    return report


@pytest.mark.parametrize(("pipeline", "wrongly_answered"), [("fc", 0.1), ("fc_multihop", 0.2)])
def test_answers_of_a_recorded_model_cite_the_right_passage(home: Path, pipeline: str, wrongly_answered: float) -> None:
    recording = f"answers-{pipeline}.jsonl.gz"
    report = replayed(home, "answers", "-c", "ds101", "-p", pipeline, recording=recording)
    figures = report["actors"][f"{pipeline}/tree"]
    assert figures["replayed"]
    assert figures["cited"]["mean"] > 0.9
    assert figures["wrongly_abstained"]["mean"] < 0.05
    assert figures["wrongly_answered"]["mean"] < wrongly_answered
    assert figures["auc"]["mean"] > 0.75
    assert figures["fitted"]["posted_right"] > 0.9
    assert "Replies written through a relay" in json.dumps(report["conditions"])


@pytest.mark.parametrize(("pipeline", "set_f1"), [("fc", 0.95), ("fc_multihop", 0.85)])
def test_a_recorded_model_calls_the_right_functions(home: Path, pipeline: str, set_f1: float) -> None:
    report = replayed(home, "functions", "-c", "ds101", "-p", pipeline, recording=f"answers-{pipeline}.jsonl.gz")
    assert report["pipelines"][pipeline]["set_f1"]["mean"] > set_f1


def test_the_recorded_judge_agrees_with_people(home: Path) -> None:
    folder = str(COURSE / "labels" / "judges")
    report = replayed(home, "judges", "--dataset", folder, "-j", "edumod", recording="judges-edumod.jsonl.gz")
    assert report["pearson"]["low"] > 0.9
