"""TeX to MathML: what courses write is shown, and nothing of it can act, lead elsewhere or cover the page."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.formulas import mathml


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"\hat\beta = (X^TX)^{-1}X^Ty", "<mi>β</mi>"),
        (r"\frac{1}{n}\sum_{i=1}^n x_i", "<mfrac>"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "<mtable>"),
        (r"\begin{cases}1 & x>0\\0 & \text{otherwise}\end{cases}", "otherwise"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "<mtr>"),
        (r"\begin{equation}\label{eq:1} a=b \nonumber\end{equation}", "<mi>a</mi>"),
        (r"P(A \mid B) < 50\%", "&lt;"),
        (r"\text{costs \$5}", "costs\xa0$5"),
        (r"\operatorname{Var}(X)", "Var"),
    ],
)
def test_what_courses_write_is_shown(tex: str, shown: str) -> None:
    assert shown in (mathml(tex, is_displayed=True) or "")


@pytest.mark.parametrize(
    "tex",
    [r"\frac{1}{2", "}", r"\foo{x}", "x^", r"\frac{1}", r"\left( x", "x_1_2", r"\begin{foo}a\end{foo}",
     r"\begin{align}", r"\def\a{\b\b}\a", r"\newcommand{\a}{x}", "", " ", "&", "#1", "{" * 40 + "}" * 40, "x^{" * 900],
)  # fmt: skip
def test_bad_tex_is_no_formula(tex: str) -> None:
    assert mathml(tex, is_displayed=False) is None


@pytest.mark.parametrize(
    "tex",
    [r"\href{javascript:alert(1)}{x}", r"\href{http://evil.example}{x}", r"\style{position:fixed}{x}", r"\class{a}{x}",
     r"\text{<script>alert(1)</script>}", "<img src=x onerror=alert(1)>", r"\text{&lt;script&gt;}",
     r"\rule{9999em}{9999em}", r"\hspace{-100em}x", r"\raisebox{-90em}{x}", r"\color{red;position:fixed}{x}",
     r"\unicode{60}script"],
)  # fmt: skip
def test_a_formula_does_nothing_but_show_itself(tex: str) -> None:
    shown = mathml(tex, is_displayed=False) or ""
    assert not re.search(r"<(?!/?m)|href|style=|class=| on\w+=|position|\d{2,}em", shown)


@given(st.text(alphabet="\\{}[]^_&$<>\"'abfrcleftghbdin 12", max_size=80))
def test_any_text_is_a_formula_or_none(tex: str) -> None:
    shown = mathml(tex, is_displayed=True)
    assert shown is None or re.fullmatch(r"<math .*(</math>|/>)", shown, re.DOTALL)


@pytest.mark.parametrize("tex", [r"\unicode{84}\unicode{x68}", r"T\mathchoice{x}{h}{x}{x}e"])
def test_tex_that_shows_other_letters_than_it_is_written_with_is_no_formula(tex: str) -> None:
    assert mathml(tex, is_displayed=False) is None


@pytest.mark.parametrize("tex", [r"T{\color{white}q}h", r"\textcolor{transparent}{q}"])
def test_no_colour_hides_a_letter(tex: str) -> None:
    shown = mathml(tex, is_displayed=False)
    assert shown
    assert "color" not in shown
