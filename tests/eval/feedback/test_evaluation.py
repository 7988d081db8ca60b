"""`edumod eval feedback`: figures from labelled submissions, and clear errors for those that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from core.homework import CRITERIA, Verdict
from core.work.pool import WorkPool
from eval.actors.computed import COMPUTED
from eval.feedback.dataset import FeedbackDataset, HomeworkProblem, LabelledSubmission, read_feedback_dataset
from eval.feedback.evaluation import feedback_plan
from eval.feedback.report import feedback_report, to_json
from homework.checker import HomeworkChecker
from homework.findings import Check, HomeworkChecks, HomeworkFinding
from tests.app.commands import edumod
from tests.eval.actors.scripted import outcome

PROBLEMS = [
    {"id": "p1", "text": "How fast?", "solution": "v = 5 + 6 = 11 m/s", "final": ["11 m/s"], "parts": 1},
    {"id": "p2", "text": "(a) Time? (b) Speed?", "solution": "...", "final": ["2.02 s", "19.8 m/s"], "parts": 2},
]
RIGHT = dict.fromkeys(CRITERIA, "right")
SUBMISSIONS = [
    {"id": "s1", "problem": "p1", "text": "v = 5 + 2*3 = 11 m/s", "labels": RIGHT},
    {
        "id": "s2",
        "problem": "p1",
        "text": "Known: a.\nv = 5 + 2*3 = 12 m/s",
        "labels": {**RIGHT, "final_answer": "wrong", "arithmetic": "wrong"},
        "where": {"arithmetic": "v = 5 + 2*3 = 12 m/s"},
    },
    {
        "id": "s3",
        "problem": "p2",
        "text": "(a) t = sqrt(2*20/9.8) = 2.02 s",
        "labels": {**RIGHT, "completeness": "partly", "final_answer": "partly", "units": "not_applicable"},
    },
]


def written(folder: Path, problems: list[dict[str, Any]], submissions: list[dict[str, Any]]) -> Path:
    for name, rows in (("problems", problems), ("submissions", submissions)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


def test_the_command_prints_every_criterion_with_intervals(tmp_path: Path) -> None:
    written(tmp_path, PROBLEMS, SUBMISSIONS)
    result = edumod(tmp_path, "eval", "feedback", "--dataset", str(tmp_path), "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["n"] == 3
    assert set(report["criteria"]) == set(CRITERIA)
    arithmetic = report["criteria"]["arithmetic"]
    assert arithmetic["n"] == 3
    assert arithmetic["f1"]["mean"] == 1
    assert arithmetic["false_alarms"]["mean"] == 0
    assert arithmetic["right_line"]["mean"] == 1
    assert report["criteria"]["units"]["n"] == 2


def test_cannot_tell_is_no_flag_and_right_work_flagged_is_a_false_alarm() -> None:
    flagged = Check(Verdict.PARTLY, (HomeworkFinding("arithmetic", 1, "1 is not 2.", ""),))
    silent = Check(Verdict.CANNOT_TELL)
    submissions = tuple(
        LabelledSubmission(id=str(n), problem="p", text="x", labels={"arithmetic": label})
        for n, label in enumerate((Verdict.RIGHT, Verdict.WRONG, Verdict.NOT_APPLICABLE))
    )
    checked = [HomeworkChecks(dict.fromkeys(CRITERIA, check)) for check in (flagged, silent, flagged)]
    dataset = FeedbackDataset({"p": HomeworkProblem(id="p", text="")}, submissions)
    rows = [(COMPUTED, str(n), to_json(one)) for n, one in enumerate(checked)]
    figures = feedback_report(outcome(feedback_plan(dataset, HomeworkChecker(WorkPool())), *rows)).criteria
    arithmetic = figures["arithmetic"]
    assert arithmetic.n == 2
    assert arithmetic.recall.mean == 0
    assert arithmetic.precision.mean == 0
    assert arithmetic.false_alarms.mean == 1
    assert figures["units"].n == 0
    assert figures["units"].f1.mean is None


@pytest.mark.parametrize(
    ("submission", "says"),
    [
        ({"problem": "p9"}, "line 1: there is no problem 'p9'"),
        ({"labels": {"tone": "right"}}, "there is no criterion tone"),
        ({"labels": {"units": "fine"}}, "line 1"),
        ({"labels": {"units": "cannot_tell"}}, "a label is right, partly, wrong or not_applicable"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, submission: dict[str, Any], says: str) -> None:
    written(tmp_path, PROBLEMS, [{**SUBMISSIONS[0], **submission}])
    with pytest.raises(InvalidInput, match=says):
        read_feedback_dataset(tmp_path)


def test_two_submissions_of_one_id_are_an_error(tmp_path: Path) -> None:
    written(tmp_path, PROBLEMS, [SUBMISSIONS[0], SUBMISSIONS[0]])
    with pytest.raises(InvalidInput, match="'s1' is also on line 1"):
        read_feedback_dataset(tmp_path)
