"""What the computed checks say of submissions: errors are found, and right work in another form is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.homework import CRITERIA, Verdict
from homework.checking import check
from homework.task import HomeworkTask

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
    "0.20*c*(80 - T) = 0.30*c*(T - 20)\n16 - 0.2T = 0.3T - 6\n22 = 0.5T\nT = 44 °C",
    "ŷ = 2.4x + 8\nŷ(7) = 2.4·7 + 8 = 16.8 + 8 = 24.8",
    "A(x) = 60x - 2x^2\nx = 60/4 = 15\nA(15) = 900 - 450 = 450",
    "f''(1) = -6, so a maximum\nf''(3) = 6, so a minimum",
    "n(CO2) = 0.499 mol\nm(CO2) = 0.499*44.0 = 21.96 g",
    r"$\mathrm{pH} = 14.00 - 1.30 = 12.70$",
    "10 choose 3 = 10*9*8/6 = 120",
    "RC = 100 000 * 0.000047 = 4.7 s",
    "z = 10/8 = 1,25\nP = 1 - 0,8944 = 0,1056",
    "x1 = (2 + √32)/2 = (2 + 5,657)/2 = 3,828",
    r"$\int = 13.5 - \frac16 = \frac{80}{6} = 13\tfrac13$",
    r"$\frac{3+4i}{1-2i} = \frac{(3+4i)(1+2i)}{(1-2i)(1+2i)} = \frac{-5+10i}{5} = -1+2i$",
    r"$\sigma^2 = \frac{1}{30}\sum x^2 - 4 = \frac{1229}{900}$" + "\n" + r"$\sigma = \sqrt{1229}/30 = 1.169$",
    "s = 0 or s = 0.5\ns = 0: x = 0°\ns = 0.5: x = 30°",
    "x = (5+1)/2\nx = (5-1)/2",
    "T² = 39.48·3.103·10²⁰/(3.982·10¹⁴) = 3.077·10⁷ s²\nT = 5547 s = 1.54 h",
    "90 km/h : 3.6 = 25 m/s",
    "f = 240 / 2·0.80 = 240/1.6 = 150",
    "z = 180 − 150 / 20 = 30/20 = 1.5",
    "T = 27 °C = 300 K",
    "(x^3 - 4x^2 + x + 6) : (x+1) = x^2 - 5x + 6",
    "t = 7.5 min = 7 min 30 s",
    "1656000 J / 3600000 = 0.46 kWh",
    "cos φ = -4/9\nφ = 116.4",
    "a2 = 11 - 4 = 7\na1 = 7 - 4 = 3",
    "0.85^10 ≈ 0.2",
    "Case 1: 2x - 3 ≤ 5, x ≤ 4\nCase 2: 3 - 2x ≤ 5, x ≥ -1",
    "A = [[1, 2], [3, 4]] = [[1, 4/2], [3, 8/2]]",
    "(1, -2, 3) + 2(4, 0, -1) = (9, -2, 1)",
    "A(12 h) = 200 MBq",
    "15 min = 1/4 h",
    "75 min = 5/4 h = 4500 s",
    "I = 12 V / 4 Ω = 3 A = 12/4 A",
    "60 min = 4 half-lives",
    r"P = \frac{6}{36} = 0.1\overline{6}; P(B) = \tfrac{11}{36}",
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
    ("s = 0 + 0.5 × 3.0 × 4.0\ns = 0.5 × 15.0", 2),
    ("I = 8/2 - (4 - 1)\n\nI = 8/2 - 4 - 1", 3),
    ("y = -3/4·(x - 6) + 2\ny = -3/4 x - 4.5 + 2", 2),
    ("T = 2π√(L/g)\nT² = 2π·L/g", 2),
    (r"$pV = nRT \implies V = \frac{p}{nRT}$", 1),
    ("52.3 + 1.96 = 54.36", 1),
    (r"$\frac{1.988\times10^{-25}}{5.32\times10^{-7}} = 0.374\times10^{-32}$", 1),
    ("CI = [50 - 1.96, 50 + 1.96] = [48.04, 52.96]", 1),
    ("(1, -2, 3) + (4, 0, -1) = (5, -2, 4)", 1),
    (r"$\frac{1}{2}\begin{pmatrix}2&-1\\-4&3\end{pmatrix} = \begin{pmatrix}1&-0.5\\2&1.5\end{pmatrix}$", 1),
    ("x^2 - 5x + 6 = 0\nThe pq formula gives:\nx_1 = 2, x_2 = 5", 3),
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
    ("(50.34, 54.26)", "CI: 52.3 ± 1.96"),
    ("(50.34, 54.26) minutes", "So from 50.3 to 54.3 minutes."),
    ("[49.81 mm, 50.59 mm]", "It lies between 4.981 cm and 5.059 cm."),
    (r"$(1, 2)\ \text{m/s}^2$", r"$\vec a = \begin{pmatrix}1\\2\end{pmatrix}$ m/s$^2$"),
    ("(1, 2)", "a = i + 2j  (size √5 ≈ 2.24)"),
    ("(x, y) = (2, 1)", "x = 2\ny = 5·2 − 9 = 1"),
    ("(x, y) = (2, 1)", "y = 1\nSolution (2 | 1)"),
    ("x=1, y=2, z=3", "Final answer: (x, y, z) = (1, 2, 3)"),
    ("(3, -4)", "so the vertex is V(3 | −4)"),
    ("(1, 5)", "max at x = 1 with f(1) = 5"),
    (
        r"\begin{pmatrix}1&-\frac12\\-2&\frac32\end{pmatrix}",
        r"$A^{-1} = \frac12\begin{pmatrix}2&-1\\-4&3\end{pmatrix}$",
    ),
    ("[[1.5, -0.5], [-2, 1]]", "A⁻¹ = 1/2·[[3, −1], [−4, 2]] = [[3/2, −1/2], [−2, 1]]"),
    ("y = -2x + 1", "→ 2x + y = 1\n(check: 2·4 − 7 = 1 ✓)"),
    (r"$L = \frac{gT^2}{4\pi^2}$", r"$L = \frac{T^2 g}{4\pi^2}$"),
    (r"\frac{40}{3}", r"$13\tfrac13$"),
    (r"\frac{40}{3}", "13 1/3"),
    ("x = 0, π/6, 5π/6, π", "L = {0, π/6, 5π/6, π}"),
    ("x = 4 or x = -3/2", r"$L=\left\{-\tfrac32;\ 4\right\}$"),
    ("x < 3 or x ≥ 8", r"$(-\infty,3)\cup[8,\infty)$"),
    ("x = 4", "x = 4 (the other one, -2, is outside the domain)"),
    ("x = 4", "Domain: x > 2\nx = 4"),
    ("0.81", "sum = 0.81 (so sd = 0.9)"),
    ("[-4, \\infty)", "so x ∈ [−4, ∞). Test x = 0: 7 ≤ 19 ok."),
    ("0.0455", "p = 2·0.02275 = 0.0455\nSince p < 0.05 we would reject H0 at the 5 % level."),
    (
        "3.21 m/s^2",
        "a = 12.82 N / 4.0 kg = 3.21 m/s²\nSeems sensible because it is smaller than g·sin 30° = 4.905 m/s².",
    ),
    ("42.5 °C", "T = 315.65 K"),
    ("116.4°", "φ = 116.4"),
    ("16875 Pa (16.9 kPa)", "Δp = 16900 Pa = 0.169 bar"),
    ("5546 s (92.4 min)", "The satellite needs 92.4 min for one revolution."),
    ("0.326", r"$P = \frac{0.4847}{1.4847} \approx \mathbf{0.326}$"),
    ("reject H₀", "-> H₀ is rejected, the coin does not seem to be fair"),
    ("−0.70 €", "Expected net gain = −70 ct per ticket"),
    ("0.116 h^{-1}", "λ = 0.116 1/h"),
    ("22.6 °C", "T = 22,6 °C"),
    (r"$\frac14$", "0.25"),
    (r"$\frac14$", r"$\frac14$"),
    ("450 m^2", "the maximum area is **450 square metres**."),
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
    (r"\frac{1}{2}x^2", "2x^2"),
    (r"\frac{1}{2}x^2 + C", r"\frac{1}{2}x^2"),
    ("(5, -2, 2)", "(5, -2, 4)"),
    (r"3.74\times10^{-19} J", r"$E = 3.74\times10^{-33}$ J"),
    ("(50.34, 54.26)", "from 50.34 to 54.36"),
    ("x < 4", "x > 4"),
    ("x < 3 or x ≥ 8", "x ≥ 8"),
    ("x = 4", "Solutions: x = 4 and x = -2"),
    ("reject H₀", "p is smaller than 0.05, therefore we do not reject H0."),
    ("2.92 kg", "m = 115.2/39.4\nSo the body has a mass of about 3 kg."),
    ("(3, 1)", "(1, 3)"),
    (r"$\frac14$", "14"),
]


UNDECIDED = [
    ("22.6 °C", "T = 22.6 degrees Celsius"),
    ("2 km", "2 m"),
    ("0.667 €", "On average you gain 0.667 cents."),
    ("6", "F(2) − F(0) = 6 − 0 = 6\nThe integral has the value 9."),
    ("11 m/s", "s = 24 m"),
    ("(1, 2)", "x = 3"),
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


@pytest.mark.parametrize(("official", "given"), UNDECIDED)
def test_nothing_is_called_wrong_that_may_be_right_or_another_quantity(official: str, given: str) -> None:
    assert check(HomeworkTask("", None, (official,)), given)["final_answer"].verdict is Verdict.CANNOT_TELL


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
        ("62.5 m", "s = 90²/(2 × 5.0) = 8100/10 = 810\nstopping distance = 810 m", Verdict.WRONG),
        ("25.5 °C", "T = 58060/2273 = 25.5 K", Verdict.WRONG),
        ("25.5 °C", "T = 298.65 K", Verdict.RIGHT),
        ("ΔT = 25.5 °C", "ΔT = 25.5 K", Verdict.RIGHT),
        ("(50.34, 54.26) minutes", "CI: 52.3 ± 1.96", Verdict.PARTLY),
        ("2.4 N", "= 0.05394/0.0225\n= 2.40 N (attractive)", Verdict.RIGHT),
        ("166 cm", "mean = 334/2 cm = 167 cm", Verdict.RIGHT),
        ("24000 J (24 kJ)", "E = 45 kJ", Verdict.RIGHT),
        ("9.8 m/s^2", "g = 9.8 m/s2", Verdict.RIGHT),
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
    assert checks["final_answer"].verdict is Verdict.CANNOT_TELL
    assert checks["final_answer"].evidence.startswith("1 of 2 final answers agree")
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
    assert checked["final_answer"].verdict is Verdict.CANNOT_TELL


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


@pytest.mark.parametrize(
    ("given", "is_flagged"),
    [
        ("2x = 6\nx = 3\ny = 10 - 3 = 7", True),
        ("2x = 14\nx = 7\ny = 3", False),
        ("(1) x + y = 10\n(2) x - y = 4", False),
    ],
)
def test_steps_to_the_solution_of_a_system_hold_for_it(given: str, is_flagged: bool) -> None:
    task = HomeworkTask("Solve the system x + y = 10, x - y = 4.")
    assert check(task, given)["arithmetic"].verdict.is_flagged is is_flagged


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("(a) the mean\n(b) the median", "1) mean = 24/3 = 8\n2) median = 9"),
        ("1) the mean\n2) the median", "1) mean = 8\n2) median = 9"),
        ("i) the mean\nii) the median", "i) 24/3 = 8\nii) 9"),
        ("(a) the mean\n(b) the median", "Results: (a) 8, (b) 9"),
        ("1) the mean\n2) the median", "| 1) | 24/3 | 8 |\n| 2) | sorted | 9 |"),
    ],
)
def test_parts_may_be_labelled_in_any_way(text: str, work: str) -> None:
    checked = check(HomeworkTask(text, None, ("8", "9"), 2), work)
    assert checked["completeness"].verdict is Verdict.RIGHT
    assert checked["final_answer"].verdict is Verdict.RIGHT


@pytest.mark.parametrize(
    ("final", "work"),
    [
        (("8", "9"), "(4+5+12+9+7+9+10)/7 = 56/7 = 8\nThe mean is **8**."),
        (("y = 8 + 2.4x", "24.8"), "slope = 0.8*(6/2) = 2.4\ny - 20 = 2.4(x - 5)\nwhich is y = 2.4x + 8"),
        (("t = 2.13", "reject H_0"), "standard error = 6.0/4 = 1.5\nt = 3.2/1.5 = 2.13"),
        (("9 min", "11 min"), "The median is 9 min.\nThe mean would be 60/7 = 8.57 min."),
    ],
)
def test_a_part_without_a_result_of_its_own_is_missing(final: tuple[str, str], work: str) -> None:
    checked = check(HomeworkTask("(a) ... (b) ...", None, final, 2), work)
    assert checked["completeness"].verdict is Verdict.PARTLY
    assert checked["final_answer"].verdict is Verdict.CANNOT_TELL


RESISTORS = ("3 ohm", "4 A", "48 W")


@pytest.mark.parametrize(
    "work",
    [
        "R = (1/4 + 1/12)^-1 = 3 Ω, I = U/R = 12 V / 3 Ω = 4 A, P = U·I = 12·4 = 48 W",
        "Current: 12/4 = 3 A and 12/12 = 1 A, together 4 A.\nTotal resistance: 12 V/4 A = 3 ohms.\nPower: 48 watts.",
        "c) P = 144/3 = 0.048 kW\nb) I = 4 A\na) 1/R = 1/4+1/12 = 1/3, R = 3 Ohm",
    ],
)
def test_answers_to_several_parts_stand_in_any_order_and_form(work: str) -> None:
    checked = check(HomeworkTask("(a) the resistance (b) the current (c) the power", None, RESISTORS, 3), work)
    assert checked["final_answer"].verdict is Verdict.RIGHT
    assert checked["completeness"].verdict is Verdict.RIGHT


def test_a_value_is_wrong_for_the_part_that_its_words_name() -> None:
    task = HomeworkTask("Find (a) the mean, (b) the variance, (c) the median.", None, ("6", "2.5", "7"), 3)
    found = check(task, "mean 6\nvariance 10/5 = 2\nmedian 7")["final_answer"]
    assert [(finding.line, finding.criterion) for finding in found.findings] == [(2, "final_answer")]


def test_a_loss_answers_for_a_negative_profit() -> None:
    task = HomeworkTask("(a) the profit (b) its share", None, ("-50 euros", "-4.17 %"), 2)
    work = "The shop loses 50 euros, which is 4.2% of the takings (50/1200=0.0417)."
    assert check(task, work)["final_answer"].verdict is Verdict.RIGHT


def test_a_number_that_is_no_result_of_any_part_makes_its_part_wrong() -> None:
    work = "Mean: 4+5+12+9+7+9+10 = 54\n54/7 ≈ 7.71\nMedian: the fourth value, 9."
    assert check(HomeworkTask("", None, ("8", "9"), 2), work)["final_answer"].verdict is Verdict.PARTLY


def test_giving_up_before_the_result_is_incomplete() -> None:
    work = "sin x = 0 or sin x = 1/2\nI don't remember how to get x from here, sorry"
    assert check(HomeworkTask("Solve it.", None, ("x = 0, π/6",)), work)["completeness"].verdict.is_flagged


@pytest.mark.parametrize(
    ("final", "work"),
    [
        (("378 €",), "NPV = 500 - 122 = 378 € > 0, so we should buy it"),
        (("0.1125 mol/L",), "c = 1.8*25/400 = 0.1125 mol/L (≈ 1.13·10⁻¹ mol/L)"),
        (("41692.5 J",), "W = 340*9.81*12.5 = 41 692.5 J"),
        (("954",), "π = 51*26 - 60 - 12*26 = 954"),
        (("2",), "There are 3 - 1 = 2 degrees of freedom."),
        (("(90, 80) m",), "The displacement is (90 m | 80 m)."),
        (("-0.615",), "E = -40/260 : 1/4 = -0.615"),
        (("2.33 eV",), "E = 6.626e-34*5.64e14 = 3.74e-19 J\n\nE = 3.74e-19/1.602e-19 = 2.33 eV"),
        (("46 dB",), "~~10 log_10(200) = 23 dB~~\n20 log_10(200) = 46 dB"),
        (("10110101",), "181 = 128 + 32 + 16 + 4 + 1 = 10110101_2"),
        (("[115.1, 124.9] mmHg",), "CI = 120 ± 1.96*2.5 = 120 ± 4.9 mmHg"),
        (("x < 2 or x > 3",), "-2 ≤ x ≤ 5\n\nx^2 - 5x + 6 = (x-2)(x-3) > 0\n\nx < 2 or x > 3"),
        (
            ("1200 €", "1265 €"),
            "| year | nominal | deflator | real |\n|---|---|---|---|\n| 1 | 1248 | 104 | 1200 |\n"
            "| 2 | 1391.5 | 110 | 1265 |",
        ),
        (("C3H8 + 5 O2 -> 3 CO2 + 4 H2O", "197.6 g"), "66/44.10 = 1.497 mol\nm = 4.49 mol * 44.01 g/mol = 197.6 g"),
    ],
)
def test_right_work_of_economists_chemists_and_physicists_is_not_flagged(final: tuple[str, ...], work: str) -> None:
    checked = check(HomeworkTask("", None, final, len(final)), work)
    flagged = {name for name, found in checked.checks.items() if found.verdict.is_flagged}
    assert not flagged - {"completeness"}


def test_what_stands_above_the_other_parts_labels_answers_the_first_part() -> None:
    work = "R = 13.2 + 6.8 = 20 ohm\n(b) I = 9/20 = 0.45 A\n(c) P = 9*0.45 = 4.05 W"
    checked = check(HomeworkTask("(a) ... (b) ... (c) ...", None, ("20 ohm", "0.45 A", "4.05 W"), 3), work)
    assert checked["completeness"].verdict is Verdict.RIGHT
    assert checked["final_answer"].verdict is Verdict.RIGHT
