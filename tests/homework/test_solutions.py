"""Final answers are read from official solutions as they are written."""

from __future__ import annotations

import pytest

from homework.solutions import final_answers


@pytest.mark.parametrize(
    ("solution", "answers"),
    [
        ("We halve it.\nAnswer: 12 m", ("12 m",)),
        (r"so the value is $\boxed{3}$", ("3",)),
        ("t = sqrt(2h/g) = 2.02 s", ("t = 2.02 s",)),
        ("mean = 12, s = 4/2 = 2", ("s = 2",)),
        ("x = 2 or x = 3", ("x = 2 or x = 3",)),
        ("v = 2 m/s and s = 5 m", ("v = 2 m/s, s = 5 m",)),
        ("P(1 < X < 5) = 0.68", ("P(1<X<5) = 0.68",)),
        ("so the interval is [2, 5]", ("so the interval is [2, 5]",)),
        ("Nothing to compute here", ()),
        (r"$x = \frac14$", ("x = (1)/(4)",)),
        (r"so $x = \tfrac 1{12}$", ("x = (1)/(12)",)),
    ],
)
def test_the_last_result_of_a_solution_is_its_final_answer(solution: str, answers: tuple[str, ...]) -> None:
    assert final_answers(solution, 1) == answers


def test_each_part_has_its_own_final_answer() -> None:
    assert final_answers("(a) t = 2 s\n(b) v = 10*2 = 20 m/s", 2) == ("t = 2 s", "v = 20 m/s")


@pytest.mark.parametrize(
    "solution",
    ["**Solution.** (a) $n = 2$ mol.\n\n(b) $c = 3$ mol/L.", "Solution: (a) n = 2 mol, (b) c = 3 mol/L"],
)
def test_parts_may_stand_in_one_line_and_below_a_heading(solution: str) -> None:
    assert len(final_answers(solution, 2)) == 2


def test_a_part_without_a_result_leaves_nothing_to_compare_with() -> None:
    assert final_answers("(a) t = 2 s\n(b) see the lecture", 2) == ()
