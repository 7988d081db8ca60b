"""The recorded feedback on homework is whole: it is measured without a model, beside the computed checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.commands import edumod

DATA = Path(__file__).parents[3] / "data" / "homework"


@pytest.mark.slow
def test_recorded_feedback_judges_the_method_and_calls_no_more_right_work_wrong(tmp_path: Path) -> None:
    recording = DATA / "recorded" / "feedback.jsonl.gz"
    arguments = ("--dataset", str(DATA / "fifth_test"), "--sample", "60", "--replay", str(recording), "--json")
    ended = edumod(tmp_path, "eval", "feedback", *arguments)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["unrecorded"] == {}
    assert report["n"] == 60
    computed, written = report["criteria"], report["with_model"]
    assert computed["method"]["recall"]["mean"] == 0
    assert written["method"]["f1"]["mean"] > 0.9
    assert written["final_answer"]["f1"]["mean"] > computed["final_answer"]["f1"]["mean"]
    assert written["final_answer"]["false_alarms"]["mean"] <= computed["final_answer"]["false_alarms"]["mean"]
