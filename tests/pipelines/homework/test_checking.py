"""What the computed checks say of submissions: errors are found, and right work in another form is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.homework import CRITERIA, Verdict
from pipelines.homework.checking import check
from pipelines.homework.task import HomeworkTask

RIGHT_WORK = [
    "log2(32*2) = log2(64) = 6",
    "2x+3=7\n2x=4\nx=2",
    "x^2-5x+6=0\n(x-2)(x-3)=0\nx-2=0 or x-3=0\nx=2 or x=3",
    "$x^2=9$ so $x=\\pm 3$",
    "5 = 0.5*9.8*t^2\nt^2 = 1.02\nt = 1.01 s",
    "-2x + 3 < 7\n-2x < 4\nx > -2",
    "KE = 1/2 m v^2 = 0.5(2)(3)^2 = 9 J",
    "v = 5 km/h = 1.39 m/s",
    "z = (52-50)/(8/√16) = 1",
    "mean = (1+2+3)/3 = 2\nvar = ((1-2)^2+(2-2)^2+(3-2)^2)/2 = 1",
    "2/3=0.67",
    "x = (-3 ± √(9+16))/2 = (-3±5)/2\nx = 1 or x = -4",
    "y = (x+1)^2 = x^2+2x+1",
    "2 + 3 = 5 * 4 = 20",
    "0 = 3, so there is no solution",
    "sin 30 = 0.5",
    "\\begin{align}\nv &= v_0 + at\\\\\n&= 5 + 2(3)\\\\\n&= 11\\,\\text{m/s}\n\\end{align}",
    "R = 1/(1/10+1/20) = 6.67 Ω",
    "SE = 10/√25 = 2, so the interval is 50 ± 1.96*2 = 50 ± 3.92",
    "\\binom{5}{2}(0.5)^5 = 10/32 = 0.3125",
    "3x - 5 = x + 7 => 2x = 12 => x = 6",
    "e^{-2} = 0.135",
    "1,000 * 5 = 5,000",
    "n = 10\nn = 25",
    "2x+y=5\nx-y=1\n3x=6\nx=2\ny=1",
    "d = 5 cm * 2 = 0.1 m",
    "W = 10 N · 5 m = 50 J",
    "c = 3 x 10^8 m/s",
    "$2x^2-7x+3=(2x-1)(x-3)=0$\n\n$2x-1=0 \\Rightarrow x=\\frac12$\n\n$x-3=0 \\Rightarrow x=3$",
    "$\\theta = \\tan^{-1}(1) = 45^\\circ$",
    "m = (1 - 5)/(3 - 1) = -2\ny - 5 = -2(x - 1)\ny = -2x + 7",
    "Q = (100 μF)(12 V) = 1200 μC",
    "P = ρgh = 1000 kg/m^3 * 9.8 N/kg * 15 m = 147 kPa",
    "a = (20 m/s - 4 m/s)/(5 s) = (16 m/s)/(5 s) = 3.2 m/s²",
    "72 km/h = 72 * 1000 m / 3600 s = 20 m/s",
    "E[X] = 0(0.1) + 10(0.5) + 13.5(0.4) = 10.4",
]

SLIPS = [
    ("2x+3=7\n2x=10\nx=5", 2),
    ("x^2=9\nx=4", 2),
    ("KE = 0.5(2)(3)^2 = 6 J", 1),
    ("-2x<4\nx<-2", 2),
    ("y = (x+1)^2 = x^2+1", 1),
    ("First:\n9.8*2.02 = 20.8", 2),
    ("12/5 = 2.5", 1),
    ("\\frac{3}{4}\\cdot 8 = 5", 1),
    ("5 N * 2 m = 12 J", 1),
    ("2(x+3) = 10\n2x + 3 = 10", 2),
    ("(x-2)(x+3)=0\nx=2 or x=3", 2),
    ("1/2 + 1/3 = 2/5", 1),
    ("y - 5 = -2(x - 1)\ny = -2x - 2 + 5", 2),
    ("mean = (10 + 12 + 13 + 15)/4 = 51/4 = 12.75", 1),
    ("\\begin{align}\nv &= 5 + 2(3)\\\\\n&= 12\n\\end{align}", 3),
]

EQUIVALENT = [
    ("11 m/s", "39.6 km/h"),
    ("11 m/s", "$v = 11\\,\\mathrm{m\\,s^{-1}}$"),
    ("11 m/s", "The car moves at 11 meters per second."),
    (r"\frac{3}{4}", "0.75"),
    (r"\frac{3}{4}", "P = 6/8"),
    ("0.75", "75%"),
    ("25%", "0.25"),
    (r"\frac{1}{3}", "0.333"),
    (r"\sqrt{12}", r"2\sqrt{3}"),
    (r"\sqrt{12}", "3.46"),
    ("x = 3, x = -2", "x = -2 or x = 3"),
    (r"x = \pm 2", "x = 2, x = -2"),
    (r"x = \pm 2", r"$x_1 = 2$ and $x_2 = -2$"),
    ("x_1 = 3, x_2 = 5", "x_1 = 3\nx_2 = 5"),
    ("x = 3, x = 5", "x_1 = 3\nx_2 = 5"),
    ("t = sqrt(2h/g)", "t = sqrt(2h/g)"),
    ("126 kJ", "126000 W"),
    ("x > 2", "2 < x"),
    ("x > 2", r"$(2, \infty)$"),
    ("-1 \\le x < 3", "[-1, 3)"),
    ("(6.08, 13.92)", "The interval is [6.08, 13.92]."),
    ("(6.08, 13.92)", "between 6.08 and 13.92"),
    (r"\frac{1}{2}x^2 + 3x + C", "x(x+6)/2 + C"),
    (r"\frac{1}{2}x^2 + 3x + C", "x(x+6)/2 + c"),
    ("y = 2x + 1", "y - 1 = 2x"),
    ("(x+1)(x+2)", "x^2 + 3x + 2"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,2],[3,4]]"),
    ("(5, -2, 2)", "(1, -2, 3) + (4, 0, -1) = (5, -2, 2)"),
    ("(5, -2, 2)", r"\begin{pmatrix}5\\-2\\2\end{pmatrix}"),
    ("1,200,000 J", "(1,200,000 J)"),
    ("2 km", "2000 m"),
    ("1.5 × 10^3 J", "1500 J"),
    ("1500 J", "1.5 kJ"),
    ("-5 m/s", "5 m/s downward"),
    ("120", "5! = 120 ways"),
    ("e^2", "7.39"),
    ("fail to reject H0", "So we do not reject H0."),
    ("9.8 N", "9.81 N"),
    (r"\{1, 2, 3\}", "{3, 1, 2}"),
    ("0.5 h", "30 min"),
    ("x = 3, x = 1/2", "$2x-1=0 \\Rightarrow x=\\frac12$\n\n$x-3=0 \\Rightarrow x=3$"),
    ("reject H0", "Since 2.5 > 2.064 we reject the null hypothesis."),
    ("a) 2 s", "t = 2 s"),
    (r"\{-3, 3\}", "|x| = 3 → x = 3 or x = -3"),
    ("1.2e-3 C", "Q = CV = (100 μF)(12 V) = 1200 μC"),
    ("(48.04, 51.96)", "we get the interval from 48.04 to 51.96."),
]

DIFFERENT = [
    ("11 m/s", "12 m/s"),
    ("120", "121"),
    ("x = 3, x = -2", "x = -3 or x = 2"),
    ("x > 2", "x < 2"),
    ("x > 2", "$x \\ge 2$"),
    ("y = 2x + 1", "y = 2x - 1"),
    ("(6.08, 13.92)", "(6.08, 14.92)"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "[[1,3],[2,4]]"),
    ("2 km", "2 m"),
    (r"\frac{1}{2}x^2", "2x^2"),
    (r"\frac{1}{2}x^2 + C", r"\frac{1}{2}x^2"),
    ("(5, -2, 2)", "(5, -2, 4)"),
]


@pytest.mark.parametrize("work", RIGHT_WORK)
def test_right_work_has_no_arithmetic_error(work: str) -> None:
    assert not check(HomeworkTask(""), work)["arithmetic"].verdict.is_flagged


@pytest.mark.parametrize(("work", "line"), SLIPS)
def test_an_arithmetic_slip_is_found_at_its_line(work: str, line: int) -> None:
    found = check(HomeworkTask(""), work)["arithmetic"]
    assert found.verdict.is_flagged
    assert found.findings[0].line == line


def test_a_slip_is_named_once_if_later_steps_follow_from_it() -> None:
    found = check(HomeworkTask(""), "2x+3=7\n2x=10\nx=5\n3x = 15")["arithmetic"]
    assert [finding.line for finding in found.findings] == [2]


@pytest.mark.parametrize(("official", "given"), EQUIVALENT)
def test_an_answer_in_another_form_is_right(official: str, given: str) -> None:
    assert check(HomeworkTask("", None, (official,)), given)["final_answer"].verdict is Verdict.RIGHT


@pytest.mark.parametrize(("official", "given"), DIFFERENT)
def test_another_answer_is_wrong(official: str, given: str) -> None:
    assert check(HomeworkTask("", None, (official,)), given)["final_answer"].verdict is Verdict.WRONG


@pytest.mark.parametrize(
    ("official", "work", "verdict"),
    [
        ("11 m/s", "v = 5 + 6 = 11 m/s", Verdict.RIGHT),
        ("11 m/s", "v = 5 + 6 = 11", Verdict.PARTLY),
        ("11 m/s", "v = 5 + 6 = 11 m/s^2", Verdict.WRONG),
        ("2 km", "d = 2 m", Verdict.WRONG),
        ("5.56 m/s", "20 km/h = 5 m/s", Verdict.WRONG),
        ("98 N", "F = 10 kg * 9.8 m/s = 98 N", Verdict.WRONG),
        ("8 m", "5 m + 3 s = 8 m", Verdict.WRONG),
        ("x = 2", "x = 2", Verdict.NOT_APPLICABLE),
        ("12 V", "V = IR = 3 A * 4 Ω = 12 V", Verdict.RIGHT),
        ("126 kJ", "Q = 126000 W", Verdict.WRONG),
        ("sqrt(2h/g)", "t = sqrt(2h/g)", Verdict.NOT_APPLICABLE),
    ],
)
def test_units_are_checked_in_results_chains_and_sums(official: str, work: str, verdict: Verdict) -> None:
    assert check(HomeworkTask("", None, (official,)), work)["units"].verdict is verdict


@pytest.mark.parametrize(
    ("work", "verdict"),
    [
        ("(a) t = sqrt(2*20/9.8) = 2.02 s\n(b) v = 9.8*2.02 = 19.8 m/s", Verdict.RIGHT),
        ("t = 2.02 s\nv = 9.8*2.02 = 19.8 m/s", Verdict.RIGHT),
        ("t = 3 s\nv = 9.8*3 = 29.4 m/s", Verdict.RIGHT),
        ("(a) t = 2.02 s", Verdict.PARTLY),
        ("t = 2.02 s", Verdict.PARTLY),
        ("(a) t = 2.02 s\n(b) I ran out of time", Verdict.PARTLY),
        ("", Verdict.WRONG),
    ],
)
def test_every_part_needs_a_result(work: str, verdict: Verdict) -> None:
    task = HomeworkTask("", None, ("2.02 s", "19.8 m/s"), 2)
    assert check(task, work)["completeness"].verdict is verdict


def test_a_part_that_is_missing_is_no_answer_with_a_wrong_unit() -> None:
    checks = check(HomeworkTask("", None, ("2.02 s", "19.8 m/s"), 2), "t = 2.02 s")
    assert checks["final_answer"].verdict is Verdict.PARTLY
    assert checks["units"].verdict is Verdict.RIGHT


def test_no_finding_quotes_the_official_answer() -> None:
    checks = check(HomeworkTask("", "v = 5 + 6 = 11.37", ("11.37 m/s",)), "v = 12 m/s")
    assert "11.37" not in str(checks.checks)


def test_the_method_is_not_computed() -> None:
    assert check(HomeworkTask(""), "x = 2")["method"].verdict is Verdict.CANNOT_TELL


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="0123456789+-*/^=()[]{}\\ \n.,;:$%°±√πxyzabcmskgNfrc|!<>≤≥&_'\"", max_size=120))
def test_any_text_gets_a_verdict_by_every_criterion(text: str) -> None:
    assert set(check(HomeworkTask("", None, ("11 m/s",)), text).checks) == set(CRITERIA)


@settings(max_examples=60, deadline=None)
@given(st.integers(-50, 50), st.integers(1, 50), st.integers(-50, 50))
def test_a_computed_line_is_right_with_its_value_and_wrong_with_another(a: int, b: int, c: int) -> None:
    value = a * b + c
    assert check(HomeworkTask(""), f"({a})*{b} + ({c}) = {value}")["arithmetic"].verdict is Verdict.RIGHT
    other = value + 7 if value >= 0 else value - 7
    assert check(HomeworkTask(""), f"({a})*{b} + ({c}) = {other}")["arithmetic"].verdict is Verdict.PARTLY


def test_a_solution_with_two_results_on_one_line_has_two_final_answers() -> None:
    solution = r"**Solution.** $v = 5 + 2 \cdot 3 = 11\,\text{m/s}$ and $s = 24\,\text{m}$"
    task = HomeworkTask("How fast is it then, and how far has it come?", solution)
    right = check(task, "v = 5 + 2*3 = 11 m/s\ns = 24 m")
    assert right["final_answer"].verdict is Verdict.RIGHT
    assert right["units"].verdict is not Verdict.WRONG
    assert check(task, "v = 5 + 2*3 = 11 m/s\ns = 25 m")["final_answer"].verdict.is_flagged


@pytest.mark.parametrize(
    ("final", "given", "verdict"),
    [
        ("x < 4", "2x < 14\nx < 7", Verdict.WRONG),
        ("x < 4", "2x < 8\nx < 4", Verdict.RIGHT),
        ("x = 7, y = 3", "2x = 6\nx = 3\ny = 10 - 3 = 7", Verdict.WRONG),
        ("x = 7, y = 3", "y = 3\nx = 7", Verdict.RIGHT),
    ],
)
def test_open_ranges_and_several_variables_are_compared_each_with_its_own(
    final: str, given: str, verdict: Verdict
) -> None:
    assert check(HomeworkTask("Solve it.", None, (final,)), given)["final_answer"].verdict is verdict


def test_a_variable_without_a_value_is_missing() -> None:
    checked = check(HomeworkTask("Solve 2x + y = 7, x - y = 2.", None, ("x = 3, y = 1",)), "3x = 9\nx = 3")
    assert checked["completeness"].verdict is Verdict.PARTLY
    assert "No value of y is stated." in checked["completeness"].findings[0].evidence
    assert checked["final_answer"].verdict is Verdict.PARTLY


def test_a_result_with_its_unit_follows_from_a_line_without() -> None:
    given = "Given: v0 = 4 m/s, a = 0.5 m/s^2, t = 6 s\nv = v0 + a*t\nv = 4 + 0.5*6\nv = 7 m/s"
    assert not check(HomeworkTask("How fast?", None, ("7 m/s",)), given)["arithmetic"].verdict.is_flagged


@pytest.mark.parametrize(
    ("task", "given", "is_flagged"),
    [
        ("Solve x² - 5x + 6 = 0.", "(x+2)(x+3) = 0\nx = -2 or x = -3", True),
        ("Solve x² - 5x + 6 = 0.", "(x-2)(x-3) = 0\nx = 2 or x = 3", False),
        ("Solve the inequality 2x + 3 < 11.", "2x < 14\nx < 7", True),
        ("Solve the inequality 2x + 3 < 11.", "2x < 8\nx < 4", False),
        ("Solve 3x - 7 = 11.", "3x = 4", True),
        ("Solve 3x - 7 = 11 for x.", "3x = 18\nx = 6", False),
        ("Simplify (x² - 9)/(x - 3).", "(x^2 - 9)/(x - 3) = x - 3", True),
        ("Simplify (x² - 9)/(x - 3).", "(x^2 - 9)/(x - 3) = (x+3)(x-3)/(x-3) = x + 3", False),
        ("Expand (2x - 3)².", "(2x-3)^2 = 4x^2 + 9", True),
    ],
)
def test_the_first_step_is_compared_with_what_the_task_poses(task: str, given: str, is_flagged: bool) -> None:
    assert check(HomeworkTask(task), given)["arithmetic"].verdict.is_flagged is is_flagged
