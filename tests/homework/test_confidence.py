"""A verdict says how sure it is, and one that is not sure enough waits for a person."""

from __future__ import annotations

import pytest

from core.attempts import HomeworkRules
from core.homework import Verdict
from homework.checking import check
from homework.feedback import feedback_task, joined, read_from_picture
from homework.offline import write_feedback
from homework.task import HomeworkTask

TASK = HomeworkTask("How fast is she after 6 s?", None, ("7 m/s",), 1)
SLIP = "v = 4 + 0.5*6 = 8 m/s"


def test_each_decided_verdict_has_a_confidence() -> None:
    checks = check(TASK, SLIP)
    assert 0.5 < (checks["final_answer"].confidence or 0) < 1
    assert checks["method"].confidence is None


def test_a_wrong_result_is_surer_beside_the_slip_that_explains_it() -> None:
    alone = check(TASK, "v = 4 + 0.5*8 = 8 m/s")["final_answer"]
    explained = check(TASK, SLIP)["final_answer"]
    assert alone.verdict is explained.verdict is Verdict.WRONG
    assert (explained.confidence or 0) > (alone.confidence or 0)


@pytest.mark.parametrize(("tell_from", "waits"), [(0.0, False), (0.99, True)])
def test_the_course_decides_from_which_confidence_a_finding_waits(tell_from: float, waits: bool) -> None:
    checks = check(TASK, SLIP)
    written = write_feedback(feedback_task("", "", TASK.text, "", SLIP, checks))
    feedback, notes = joined(written, checks, TASK, SLIP, tell_from)
    assert feedback.criteria["final_answer"].waits is waits
    assert any("waits for a person" in note for note in notes) is waits
    assert not feedback.criteria["completeness"].waits, "only what is amiss can wait"


def test_the_default_tells_only_what_was_right_on_unseen_work() -> None:
    assert HomeworkRules().tell_from == 0.9


def test_work_read_from_a_picture_is_never_called_wrong() -> None:
    checks = read_from_picture(check(TASK, SLIP))
    assert not any(checks[name].verdict.is_flagged for name in checks.checks)
    assert "compare with it: Line 1" in checks["final_answer"].evidence
