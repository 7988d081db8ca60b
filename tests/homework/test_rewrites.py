"""Right work that is written in another way is still not called wrong, partly right, or incomplete."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.feedback.dataset import SubmissionItem, read_feedback_dataset
from homework.checking import check
from tests.homework.rewrites import rewrite

HOMEWORK = Path(__file__).parents[2] / "data" / "homework"
NUMBERED = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")
SPLITS = ("development", "test", *(f"{number}_test" for number in NUMBERED))


def right_work(split: str) -> list[SubmissionItem]:
    """Submissions that are right by every label, and by every check as they stand."""
    items = read_feedback_dataset(HOMEWORK / split).items.items
    right = [item for item in items if not any(label.is_flagged for label in item.submission.labels.values())]
    return [item for item in right if not flagged(item, item.submission.text)]


def flagged(item: SubmissionItem, text: str) -> list[str]:
    checked = check(item.problem.task, text)
    return [criterion for criterion, found in checked.checks.items() if found.verdict.is_flagged]


def rewritten_and_flagged(items: Sequence[SubmissionItem], times: int) -> tuple[int, list[str]]:
    """How many rewritten submissions there are, and those that are flagged."""
    number, complaints = 0, []
    for item in items:
        for seed in range(times):
            rng = random.Random(f"{item.id} {seed}")
            text, changes = rewrite(item.submission.text, rng, rng.randint(1, 4))
            number += bool(changes)
            if changes and (criteria := flagged(item, text)):
                complaints.append(f"{item.id} {criteria} after {', '.join(changes)}:\n{text}")
    return number, complaints


@pytest.mark.parametrize("split", SPLITS)
def test_right_work_is_not_flagged_after_a_change_that_leaves_its_meaning(split: str) -> None:
    number, complaints = rewritten_and_flagged(right_work(split), times=1)
    assert number >= 30
    assert not complaints, "\n\n".join(complaints)


@pytest.mark.slow
def test_none_of_two_thousand_rewritten_submissions_is_flagged() -> None:
    number, complaints = rewritten_and_flagged([item for split in SPLITS for item in right_work(split)], times=6)
    assert number >= 2_000
    assert not complaints, "\n\n".join(complaints)
