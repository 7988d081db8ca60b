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


def test_answers_of_a_recorded_model_cite_the_right_passage(home: Path) -> None:
    report = replayed(home, "answers", "-c", "ds101", "-p", "fc", recording="answers-fc.jsonl.gz")
    figures = report["actors"]["fc/tree"]
    assert figures["replayed"]
    assert figures["cited"]["mean"] > 0.9
    assert figures["wrongly_abstained"]["mean"] < 0.05
    assert figures["wrongly_answered"]["mean"] < 0.1
    assert figures["auc"]["mean"] > 0.75
    assert figures["fitted"]["posted_right"] > 0.95
    assert "Replies written through a relay" in json.dumps(report["conditions"])


def test_the_recorded_judge_agrees_with_people(home: Path) -> None:
    folder = str(COURSE / "labels" / "judges")
    report = replayed(home, "judges", "--dataset", folder, "-j", "edumod", recording="judges-edumod.jsonl.gz")
    assert report["pearson"]["low"] > 0.9
