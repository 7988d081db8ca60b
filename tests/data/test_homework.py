"""The labelled submissions: counts, ids, and labels that name lines of the work."""

from __future__ import annotations

from collections import Counter

import pytest

from core.course.file import course_in, read_course_yaml
from core.homework import Verdict
from eval.feedback.dataset import FeedbackDataset, read_feedback_dataset
from homework.checking import check
from homework.task import HomeworkTask
from tests.data.material import DATA

HOMEWORK = DATA / "homework"
COUNTS = {
    "development": (24, 96), "test": (36, 144), "second_test": (40, 160), "third_test": (40, 160),
    "fourth_test": (40, 160),
}
AMISS = {Verdict.PARTLY, Verdict.WRONG}
GUIDE = (HOMEWORK / "README.md").read_text(encoding="utf-8")
CRITERIA = ("completeness", "method", "final_answer", "arithmetic", "units")


@pytest.fixture(scope="module", params=COUNTS)
def split(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def labelled(split: str) -> FeedbackDataset:
    return read_feedback_dataset(HOMEWORK / split)


def test_each_problem_has_four_submissions_labelled_by_every_criterion(split: str, labelled: FeedbackDataset) -> None:
    assert (len(labelled.problems), len(labelled.submissions)) == COUNTS[split]
    assert set(Counter(one.problem for one in labelled.submissions).values()) == {4}
    assert all(set(one.labels) == set(CRITERIA) for one in labelled.submissions)


def test_each_problem_has_a_final_answer_for_each_part(labelled: FeedbackDataset) -> None:
    assert all(problem.solution and len(problem.final) == problem.parts for problem in labelled.problems.values())


def test_a_place_is_a_line_of_the_work_that_is_labelled_as_amiss(labelled: FeedbackDataset) -> None:
    for one in labelled.submissions:
        for criterion, line in one.where.items():
            assert line in map(str.strip, one.text.splitlines()), one.id
            assert one.labels[criterion] in AMISS, one.id


def test_the_guide_counts_what_is_amiss(split: str, labelled: FeedbackDataset) -> None:
    amiss = [sum(one.labels[name] in AMISS for one in labelled.submissions) for name in CRITERIA]
    cells = [*COUNTS[split], *amiss]
    assert f"| `{split}/` | {' | '.join(map(str, cells))} |" in GUIDE


def test_no_problem_is_in_two_splits() -> None:
    texts = [problem.text for split in COUNTS for problem in read_feedback_dataset(HOMEWORK / split).problems.values()]
    assert len(texts) == len(set(texts))


def test_every_problem_is_in_the_course() -> None:
    sets = [path.read_text(encoding="utf-8") for path in (HOMEWORK / "assignments").glob("*.md")]
    for split in ("development", "test"):
        for problem in read_feedback_dataset(HOMEWORK / split).problems.values():
            assert any(problem.text in text for text in sets), problem.id
            assert any(problem.solution in text for text in sets), problem.id
    assert course_in(read_course_yaml(HOMEWORK / "course.yaml")).id == "homework"


@pytest.mark.parametrize("split", ["development", "test"])
def test_official_solutions_are_found_right_as_work_and_read_for_their_answers(split: str) -> None:
    for problem in read_feedback_dataset(HOMEWORK / split).problems.values():
        task = HomeworkTask(problem.text, problem.solution, parts=problem.parts)
        flagged = [name for name, one in check(task, problem.solution).checks.items() if one.verdict.is_flagged]
        assert not flagged, problem.id
