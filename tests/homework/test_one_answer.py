"""One answer counts for each part, the last; a list of answers is none, and tells nothing."""

from __future__ import annotations

import pytest

from core.homework import Verdict
from homework.checking import check
from homework.findings import HomeworkChecks
from homework.task import HomeworkTask

TASK = "A cyclist rides at 4 m/s and accelerates at 0.5 m/s² for 6 s. How fast is she then?"
CANDIDATES = [half / 2 for half in range(2, 42)]
LISTS = {
    "marked lines": "\n".join(f"Answer: {x} m/s" for x in CANDIDATES),
    "lines": "\n".join(f"{x} m/s" for x in CANDIDATES),
    "named lines": "\n".join(f"v = {x} m/s" for x in CANDIDATES),
    "one line": "Answer: " + ", ".join(f"{x} m/s" for x in CANDIDATES),
    "or": "v = " + " or ".join(f"{x} m/s" for x in CANDIDATES),
    "bullets": "\n".join(f"- {x} m/s" for x in CANDIDATES),
    "three": "Answer: 6.5 m/s\nAnswer: 8 m/s\nAnswer: 7 m/s",
    "other units": "Answer: " + ", ".join(f"{x} m/s, {x} km/h" for x in CANDIDATES),
    "box": " ".join(rf"\boxed{{{x}}}" for x in CANDIDATES),
}


def checked(official: str, work: str, task: str = TASK) -> HomeworkChecks:
    return check(HomeworkTask(task, None, (official,)), work)


@pytest.mark.parametrize("work", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("official", ["7 m/s", "6.5 m/s", "999 m/s"])
def test_a_list_gets_no_verdict_whether_the_official_answer_is_in_it_or_not(official: str, work: str) -> None:
    feedback = checked(official, work)
    assert feedback["final_answer"].verdict is Verdict.CANNOT_TELL
    assert "State one" in feedback["final_answer"].evidence
    assert feedback.checks | {"arithmetic": None} == checked("123 m/s", work).checks | {"arithmetic": None}


@pytest.mark.parametrize(
    ("work", "verdict"),
    [
        ("Answer: 8 m/s\nAnswer: 7 m/s", Verdict.RIGHT),
        ("Answer: 7 m/s\nAnswer: 8 m/s", Verdict.WRONG),
        ("v = 4 + 0.5*6 = 7 m/s\n\nAnswer: 7 m/s", Verdict.RIGHT),
        ("She starts at 4 m/s, so after 6 s the speed is 7 m/s.", Verdict.RIGHT),
        ("v = 4 + 0.5*6 = 7 m/s, which is 25.2 km/h", Verdict.RIGHT),
        ("The speed is 7 m/s, 3 m/s more than before.", Verdict.CANNOT_TELL),
        ("The speed is 9 m/s, 3 m/s more than before.", Verdict.CANNOT_TELL),
    ],
)
def test_the_last_answer_counts(work: str, verdict: Verdict) -> None:
    assert checked("7 m/s", work)["final_answer"].verdict is verdict


def test_computed_candidates_are_one_answer_the_last() -> None:
    work = "\n".join(f"{x - 1} + 1 = {x} m/s" for x in CANDIDATES)
    assert checked("7 m/s", work)["final_answer"].verdict is Verdict.WRONG


def test_pairs_are_no_list_of_tries() -> None:
    pairs = "\n".join(f"Answer: x = {a} or x = {a + 2}" for a in range(1, 20))
    assert checked("x = 3 or x = 5", pairs, "")["final_answer"].verdict is Verdict.CANNOT_TELL
    assert checked("x = 3 or x = 5", "x = 3 or x = 5", "")["final_answer"].verdict is Verdict.RIGHT


def test_of_words_the_last_marked_counts_and_both_are_no_answer() -> None:
    official = "The null hypothesis is rejected."
    assert checked(official, "The null hypothesis is rejected.", "")["final_answer"].verdict is Verdict.RIGHT
    both = "The null hypothesis is rejected.\nThe null hypothesis is not rejected."
    assert checked(official, both, "")["final_answer"].verdict is Verdict.CANNOT_TELL


def test_the_number_that_the_units_speak_of_is_not_chosen_by_the_official_one() -> None:
    work = "Answer: 3 kg, 5 V, 7 A, 9 K"
    findings = {checked(f"{x} m/s", work)["units"].findings for x in (3, 5, 7, 11)}
    assert len(findings) == 1
