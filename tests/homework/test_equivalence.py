"""Answers that are written in unusual but correct ways are right, or at least never called wrong."""

from __future__ import annotations

import pytest

from core.homework import Verdict
from homework.checking import check
from homework.task import HomeworkTask

EQUAL = [
    (r"$\begin{pmatrix}5&1\\0&2\end{pmatrix}$", r"$\left[\begin{array}{cc}5&1\\0&2\end{array}\right]$"),
    ("$21$", r"$\boxed{\text{21}}$"),
    ("$21$", r"$\mathrm{21}$"),
    ("$21$", r"$\textbf{21}$"),
    (r"$\sin^2 x + C$", r"$-\cos^2 x + C$"),
    (r"$\sin^2 x + C$", r"$-\frac{1}{2}\cos(2x) + C$"),
    ("2,45 m", "2.45 m"),
    ("7,5", "7.5"),
    (r"$\lfloor 5.8\rfloor$", "5"),
    ("6", r"$\lceil 5.2\rceil$"),
    ("$3x+6y-4=0$", r"$y=-\frac{1}{2}x+\frac{2}{3}$"),
    ("$3x+6y-4=0$", "$3x+6y=4$"),
    (r"$\mathrm{e}^{-2}$", "$1/e^2$"),
    ("47 kΩ", r"$47\,\mathrm{k\Omega}$"),
    ("47 kΩ", r"$47000\,\Omega$"),
    ("47 kΩ", r"\qty{47}{\kilo\ohm}"),
    (r"$0.\overline{6}$", "2/3"),
    ("2/3", r"$0.\overline{6}$"),
    (r"$0.8\overline{3}$", "5/6"),
    ("4.75 min/km", "4:45 min/km"),
    ("2750 €", "2.750,00 €"),
]
DIFFERENT = [
    ("$3x+6y-4=0$", "$x+y=0$"),
    ("$3x-2y+1=0$", "$3x+2y+4=0$"),
    (r"$1-\frac{1}{\mathrm{e}}$", r"$1+\frac{1}{\mathrm{e}}$"),
    (r"$\sin^2 x + C$", r"$\cos^2 x + C$"),
    (r"$\lfloor 5.8\rfloor$", "5.8"),
    (r"$0.\overline{6}$", "0.06"),
]


def verdict(official: str, given: str) -> Verdict:
    return check(HomeworkTask("Solve it.", None, (official,), 1), f"The answer is {given}")["final_answer"].verdict


@pytest.mark.parametrize(("official", "given"), EQUAL)
def test_an_equal_answer_is_never_wrong(official: str, given: str) -> None:
    assert verdict(official, given) in (Verdict.RIGHT, Verdict.CANNOT_TELL)


@pytest.mark.parametrize(("official", "given"), DIFFERENT)
def test_a_different_answer_is_never_right(official: str, given: str) -> None:
    assert verdict(official, given) is not Verdict.RIGHT
