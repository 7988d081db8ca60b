"""What follows from a slip is told as its consequence, and is no second mistake."""

from __future__ import annotations

import pytest

from homework.checking import check
from homework.task import HomeworkTask

CONSISTENT = "It is consistent with the slip in line"


def final_evidence(final: tuple[str, ...], text: str) -> list[str]:
    checks = check(HomeworkTask("Compute it.", None, final, len(final)), text)
    return [finding.evidence for finding in checks["final_answer"].findings]


@pytest.mark.parametrize(
    ("final", "text"),
    [
        (("72 J",), "v = 3*4 = 14 m/s\nE = 0.5*1*14^2 = 98 J"),
        (("7", "1.87"), "(a) s^2 = 42/6 = 8\n(b) 8/2 = 4, sqrt(4) = 2"),
        (("93.05 €", "96.06 €"), "(a) 10*9.305 = 95.05 €\n(b) 95.05 + 3.01 = 98.06 €"),
    ],
    ids=["squared", "two parts", "added"],
)
def test_a_result_that_follows_from_a_slip_is_consistent_with_it(final: tuple[str, ...], text: str) -> None:
    assert f"{CONSISTENT} 1" in final_evidence(final, text)[0]


def test_a_result_behind_a_slip_may_be_wrong_by_itself() -> None:
    (evidence,) = final_evidence(("72 J",), "v = 3*4 = 14 m/s\nE = 0.5*1*14 = 7 J")
    assert CONSISTENT not in evidence


def test_the_slip_alone_is_an_error_of_arithmetic() -> None:
    checks = check(HomeworkTask("Compute it.", None, ("72 J",), 1), "v = 3*4 = 14 m/s\nE = 0.5*1*14^2 = 98 J")
    assert [finding.line for finding in checks["arithmetic"].findings] == [1]
