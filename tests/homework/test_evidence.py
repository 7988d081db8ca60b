"""Right work is called wrong only on evidence: what a sixth set of submissions showed, by the cause."""

from __future__ import annotations

import pytest

from core.homework import Verdict
from homework.checking import check
from homework.findings import Check
from homework.task import HomeworkTask


def checks(text: str, *final: str, task: str = "") -> dict[str, Check]:
    return check(HomeworkTask(task, final=final, parts=len(final)), text).checks


def test_a_variable_that_had_the_official_value_before_is_not_called_wrong_for_a_later_one() -> None:
    work = "P = 21 and Q = 36\nThe choke price, where Q = 0: 120/4 = 30\nCS = 9*36/2 = 162"
    assert not checks(work, "P = 21", "Q = 36", "CS = 162")["final_answer"].verdict.is_flagged
    assert checks("P = 21 and Q = 35\nCS = 162", "P = 21", "Q = 36", "CS = 162")["final_answer"].verdict.is_flagged


@pytest.mark.parametrize("vector", ["[0.7071, 0.7071]", "(2, 2)", "(-3, -3)"])
def test_a_vector_of_another_length_is_not_called_wrong(vector: str) -> None:
    assert not checks(f"v = {vector}", "(1, 1)")["final_answer"].verdict.is_flagged
    assert checks("v = (1, 2)", "(1, 1)")["final_answer"].verdict is Verdict.WRONG


def test_a_computation_in_parentheses_behind_a_result_is_a_remark() -> None:
    work = "a = 3.21 m/s^2    (9.81*0.5 - 0.2*9.81*0.866)"
    assert checks(work, "3.21 m/s^2")["final_answer"].verdict is Verdict.RIGHT


@pytest.mark.parametrize(
    ("work", "final"),
    [
        ("P = 21\nSo the price is 21 €", "P = 21 €"),
        ("498.2 ± 2.306*0.9 = 498.2 ± 2.08 → [496.12; 500.28] ml", "[496.1, 500.3] ml"),
        ("498.2 ± 6.23\nso from 491.97 to 504.43 ml", "[491.97, 504.43] ml"),
        ("A ≈ 3384 €/year", "3384.14 €"),
    ],
)
def test_a_unit_that_stands_elsewhere_or_names_the_period_of_an_amount_is_not_missed(work: str, final: str) -> None:
    assert not checks(work, final)["units"].verdict.is_flagged


def test_work_before_the_first_label_answers_the_part_whose_value_it_has() -> None:
    task = "(a) Find the acceleration. (b) Find the speed."
    work = "v = sqrt(2*38.46/4) = 4.39 m/s\n\na) then from v^2 = 2as: a = 4.39^2/(2*3) = 3.21 m/s^2"
    assert checks(work, "3.21 m/s^2", "4.39 m/s", task=task)["completeness"].verdict is Verdict.RIGHT


@pytest.mark.parametrize("given", ["Θ(n²)", "Θ(n^2)", "n(n+1)/2: Θ(n^2)"])
def test_a_term_in_the_same_signs_is_the_same(given: str) -> None:
    assert not checks(f"(a) 3\n(b) {given}", "3", "Θ(n²)", task="(a) One? (b) Two?")["final_answer"].verdict.is_flagged
