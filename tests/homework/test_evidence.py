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


@pytest.mark.parametrize(
    ("work", "final"),
    [
        ("So it's 10 in 28 for two reds", "5/14"),
        ("B7 is 0b1011_0111", "10110111"),
        ("P_el = 2943/0.70 = 4204", "4.20 kW"),
        ("M = 8*2 = 16 kNm", "16 kN m"),
        ("Gewinn: 7.500 · 14,00 € - 84.000 € = 105.000 € - 84.000 € = 21.000,00 €", "21000 €"),
        ("0.0392 altogether: 2pq = 2*0.98*0.02 = 0.0392", "2pq = 0.0392"),
        ("3.2 · 62 500 m² = 200 000 m² = 20 ha", "0.20 km²"),
        ("$v_0 = \\dfrac{80 \\cdot 2}{2.5} = 64\\ \\mu\\text{mol/min}$", "64 µmol/min"),
        ("$\\ln\\frac{y}{3} = x^2$, i.e. $y(x) = 3e^{x^2}$", "3e^{x^2}"),
    ],
)
def test_an_answer_in_other_words_or_signs_is_right(work: str, final: str) -> None:
    assert checks(work, final)["final_answer"].verdict is Verdict.RIGHT
    assert not checks(work, final)["arithmetic"].verdict.is_flagged


@pytest.mark.parametrize(
    ("work", "final"),
    [
        ("t = T * ln(10)/ln(2) = 5.524e8 s (17.5 years), which is 10 %", "17.5 yr"),
        ("nutrient   g    kcal   share\nfat        12   108    33.3 %\n\n324 kcal in all", "33.3 %"),
        ("pH = 4.76 + log10(0.130/0.120) = 4.79 (4.795)", "pH = 4.79"),
        ("(14-20)^2/20 = 1.8\n(18-20)^2/20 = 0.2\nX² = 8.5", "8.5"),
        ("M = 30 for CH2O\n0.300 * 2.016/18.015 = 0.0336", "CH2O"),
        ("(2, 2) belongs to 5: A*(2, 2) = (10, 10)", "(1, 1)"),
    ],
)
def test_no_answer_is_wrong_whose_official_value_the_work_comes_to(work: str, final: str) -> None:
    assert not checks(work, final)["final_answer"].verdict.is_flagged


def test_of_many_tries_none_is_spared() -> None:
    tries = "\n".join(f"{number} + 0.25 = {number + 0.25} m" for number in range(2, 40))
    assert checks(tries, "7.25 m")["final_answer"].verdict is Verdict.WRONG


@pytest.mark.parametrize(
    "work",
    [
        "F_y: A + 4 - 12 = 0           A = 8 kN",
        "the line of sight rises 85.40 m times tan(12.5°) = 18.93 m",
        "x = 1 . 589 / 1666,7 = 0,3534",
        "s = (3.9*10^-11 / 4)^(1/3) = 0.214 mmol/L",
        "M = 4.5 - 5*log10(8/10) = 4.5 + 0.48 = 4.98",
        "15 % of 20 000 € = 3 000 €",
        "RD = 8 % - 2.5 % = 5.5 percentage points",
        "12 000 CHF × 1.0025^60 = 12 000 CHF × 1.161617 = 13 939.40 CHF",
        "$4x^2 = 50\\,(0.2-x)^2 = 50x^2 - 20x + 2$",
        "A(1; 1) = (5; 5)",
        "t = 1.663e8 * 3.322 = 5.524e8 s (17.5 years)",
        "yield = 45.0 g / 56.32 g = 79.9 percent",
        "yield = 45.0/56.3 * 100 = 79.9 %",
        "h = 1/2 g t^2\nt = sqrt(2h/g) = sqrt(2*31.5/9.81) = 2.53 s",
        "x = 190 mod 43 = 190 - 172 = 18",
        "60 = 80*S/(0.5+S)\n30 + 60 S = 80 S\nS = 1.5 mM",
    ],
)
def test_a_step_in_an_unusual_hand_is_no_slip(work: str) -> None:
    assert not checks(work)["arithmetic"].verdict.is_flagged
    assert not checks(work)["units"].verdict.is_flagged


@pytest.mark.parametrize("work", ["x = (3 + 4)*2 = 15", "(1 + 2, 3*4) = (3, 13)", "9 % of 20 000 € = 1 900 €"])
def test_a_slip_stays_one(work: str) -> None:
    assert checks(work)["arithmetic"].verdict.is_flagged


@pytest.mark.parametrize(
    ("work", "final"),
    [
        ("Amounts in €\nyear  value\n0  -5000\n1  5722,58\nsum 722,58", "722.58 €"),
        ("1404 kcal / 12 bars = 117 kcal/bar", "117 kcal"),
        ("x = 60/0.04 = 1500 kWh per year", "1500 kWh"),
        ("V/V = 18.4/25.0 = 0.736\nc = 0.736*0.150 = 0.1104 mol/L  (a)\npH = 0.957  (b)", "0.110 mol/L"),
    ],
)
def test_a_unit_that_is_said_in_another_place_or_for_each_is_not_amiss(work: str, final: str) -> None:
    assert not checks(work, final)["units"].verdict.is_flagged


@pytest.mark.parametrize(("work", "final"), [("v = 3*4 = 12 m", "v = 12 m/s"), ("Q = 9048 cm³/s = 9.05 L", "9.05 L/s")])
def test_a_unit_of_another_kind_stays_amiss(work: str, final: str) -> None:
    assert checks(work, final)["units"].verdict.is_flagged
    assert not checks(work, final)["arithmetic"].verdict.is_flagged


@pytest.mark.parametrize(
    "work",
    [
        "p q | both\nT T | F\nT F | F\nF T | T\nF F | T\n\n(c) no such case at all\n(b) yes it is, always",
        "x = 2*4 - 7 = 1\n\n(c) no such case at all\n(b) yes it is, always",
    ],
)
def test_work_above_labels_that_begin_with_a_later_part_may_answer_the_first(work: str) -> None:
    task = "(a) How many? (b) Always? (c) Which?"
    assert not checks(work, "3", "yes", "none", task=task)["completeness"].verdict.is_flagged


def test_of_two_readings_of_a_comma_the_one_with_fewer_faults_counts() -> None:
    found = checks("A = 17 kN\nDas Moment ist 17 kN · 2,0 m = 34 kNm.", "A = 17 kN", "M = 28 kN m")
    assert not found["units"].verdict.is_flagged


def test_a_number_that_is_near_with_another_unit_is_another_quantity() -> None:
    work = "v2 = 1.8*1.6 = 2.88 m/s\nthe flow is 9048 cm^3/s = 9.05 L/s"
    assert not checks(work, "4.61 m/s", "9.00e3 Pa", "9.05e-3 m^3/s")["units"].verdict.is_flagged


def test_what_is_not_computed_yet_lacks_no_unit() -> None:
    work = "$u(1.5) = 12(1-e^{-1.5/1.034})$\n$u(1.5) = 12*0.7656 = 9.19\\,\\mathrm{V}$"
    assert not checks(work, "9.19 V")["units"].verdict.is_flagged


def test_who_forgot_a_name_and_answers_has_not_given_up() -> None:
    work = "I don't remember the name of that equation so I took Ka.\npH = -log10(1.159e-5) = 4.94"
    assert checks(work, "pH = 4.94")["completeness"].verdict is Verdict.RIGHT


def test_results_side_by_side_are_no_quotient() -> None:
    work = "(a) e^-3 = 0.0498\n(b) 1 - 0.0498 - 0.1494 = 0.8008\n(c) e^-1.5 = 0.2231\nAnswers: 0.0498 / 0.8008 / 0.2231"
    found = checks(work, "0.0498", "0.8009", "0.2231", task="(a) None? (b) Two? (c) Half?")
    assert not found["final_answer"].verdict.is_flagged
    assert checks("Answer: 3 / 4", "0.75")["final_answer"].verdict is Verdict.RIGHT


def test_who_wonders_at_a_result_has_one() -> None:
    work = "(a) 1 + 0.05*100 = 6 ns\n(b) 6/21.5 = 0.28, so it even gets slower??"
    assert (
        checks(work, "6 ns", "2.4", task="(a) How long? (b) How much faster?")["completeness"].verdict is Verdict.RIGHT
    )
    assert checks("(a) 6 ns\n(b) ??", "6 ns", "2.4", task="(a) How? (b) How?")["completeness"].verdict.is_flagged


def test_results_near_the_official_ones_are_meant_for_their_parts() -> None:
    work = "1/(1-0.75) = 1/0.25 = 5\n5 * 50 = 250\n0.25Y = 450 -> Y = 1800"
    assert checks(work, "1800", "4", "200")["completeness"].verdict is Verdict.RIGHT
    assert checks("0.25Y = 450 -> Y = 1800", "1800", "4", "200")["completeness"].verdict.is_flagged


@pytest.mark.parametrize(
    "text", ["A: 3*10^–5 and 10^x5", "1e999", "2*10^(400)", "1" * 5000 + " in " + "2" * 5000, "3 x 10^A1"]
)
def test_numbers_of_any_form_are_looked_for_without_an_error(text: str) -> None:
    assert checks(f"{text}\nx = 120", "123")["final_answer"].verdict is Verdict.WRONG


def test_a_list_of_numbers_in_plain_words_is_spared_no_more_than_one_of_steps() -> None:
    tried = ", ".join(f"k{number} item {400 + number}" for number in range(100))
    assert checks(f"{tried}\nx = 3 + 4 = 7", "437")["final_answer"].verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("work", "final"),
    [
        ("A(3,4), B(4,6)\nd = sqrt(1+4) = 2.236", "2.236"),
        ("In 2,5 s\ng = 9.807 m/s^2", "9.807 m/s^2"),
        ("3^4 mod 7 = 4", "4"),
        ("x = 10   - 4 + 1 = 7", "7"),
        ("A = 24   (1/2) = 12", "12"),
        ("5    +    10    =    15", "15"),
        ("Answer: 2 * 30 / 5 / 3 + 2 = 6", "6"),
        ("k = 9e9 Nm^2/C^2", "9e9 N m^2/C^2"),
        ("x = 12\nScratch that. x = 15", "15"),
        ("r = 20 percent", "20"),
        ("r = 20 %", "20"),
    ],
)
def test_ordinary_work_is_read_as_it_stands(work: str, final: str) -> None:
    found = checks(work, final)
    assert found["final_answer"].verdict is Verdict.RIGHT
    assert not any(found[name].verdict.is_flagged for name in ("arithmetic", "units", "completeness"))


def test_numbers_before_words_are_no_shares() -> None:
    assert not checks("p = 70/350 = 20% of 350 students", "0.2")["arithmetic"].verdict.is_flagged
    assert not checks("60 out of 80 students passed", "60")["final_answer"].verdict.is_flagged


def test_a_label_that_a_sentence_mentions_is_not_its_own() -> None:
    task = "(a) How long? (b) How far?"
    for work in ("a) x = 11\nb) we use the result of (a)\nso y = 12", "a) x = 11\nb) x = 12, as in (a)"):
        assert checks(work, "11", "12", task=task)["completeness"].verdict is Verdict.RIGHT


def test_a_sign_that_is_wrong_twice_is_wrong() -> None:
    work = "broken - formed = 375 - 250 = 125 kJ/mol\ndH = 125 kJ/mol"
    assert checks(work, "-125 kJ/mol")["final_answer"].verdict is Verdict.WRONG


def test_work_above_a_label_answers_one_part_alone() -> None:
    task = "(a) One? (b) Two? (c) Three?"
    assert checks("3*4 = 12\n(b) 5", "12", "5", "7", task=task)["completeness"].verdict.is_flagged


@pytest.mark.parametrize("work", ["E = 0.5*2*3^2 = 9000 J", "A = 2 m * 3 m = 7", "C = 5 m * 4 = 30"])
def test_a_slip_beside_a_unit_stays_one(work: str) -> None:
    assert checks(work)["arithmetic"].verdict.is_flagged


def test_a_unit_in_another_quantity_does_not_stand_for_a_missing_one() -> None:
    assert checks("v = 3 m/s\nt = 12.5", "t = 12.5 s")["units"].verdict.is_flagged
