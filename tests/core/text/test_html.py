"""HTML fragments as text."""

from __future__ import annotations

from time import perf_counter

import pytest

from core.text.html import html_text


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("just text", ["just text"]),
        ("<li>a<li>b<p>c", ["- a", "- b", "c"]),
        ("a < b &amp;&lt; c <d", ["a < b &< c <d"]),
        ("</div>a<p>b", ["a", "b"]),
        ("<p title='x > y'>a", ["a"]),
        ("one<!-- two", ["one<!-- two"]),
        ('<img alt="A plot" src=x>', ["A plot"]),
        ("<dl><dt>term</dt><dd>meaning</dd></dl>", ["term", "meaning"]),
        ("<table><tr><td>a<br>b</td><td></td><td>c</td></tr></table>", ["a b | | c"]),
        ("<![if x]>a<![endif]>", ["a"]),
    ],
)
def test_fragments_are_read_like_pages(fragment: str, expected: list[str]) -> None:
    assert html_text(fragment).split("\n") == expected


@pytest.mark.parametrize("piece", ["<div>", "<b>", "a<", "a<!--", "<a b='", "</p>", "<ul><li>a", "&", "<td>a"])
def test_reading_time_grows_with_the_length_alone(piece: str) -> None:
    started = perf_counter()
    html_text(piece * (30_000 // len(piece)) + "x")
    assert perf_counter() - started < 20


def test_a_page_may_be_nested_at_any_depth() -> None:
    assert html_text("<div>" * 20_000 + "deep") == "deep"


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("<p>5<sup>3</sup> = 125, N<sub>2</sub>, v<sub>k</sub>", ["5^3 = 125, N₂, v_k"]),
        ("<p>Bring <s>a pen</s> pencils, <span style='text-decoration:line-through'>no</span> paper", None),
        ("<ol start=4><li>a<li value=9>b<li>c</ol>", ["4. a", "9. b", "10. c"]),
        ("<ol><li>a<ol type=i><li>b<li>c</ol><li>d</ol>", ["1. a", "  i. b", "  ii. c", "2. d"]),
        ("<ol reversed><li>x<li>y</ol><ul><li>z</ul>", ["2. x", "1. y", "- z"]),
        ("<aside><a>Home</a> <a>Next week</a></aside><aside><p>Two late days are free, not more.</aside>", None),
    ],
)
def test_numbers_of_lists_raised_and_struck_text(fragment: str, expected: list[str] | None) -> None:
    text = html_text(fragment)
    if expected is not None:
        assert text.split("\n") == expected
    else:
        assert text in ("Bring pencils, paper", "Two late days are free, not more.")


KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>a</mi></mrow>'
    '<annotation encoding="application/x-tex">\\sqrt{a}</annotation></semantics></math></span>'
    '<span class="katex-html">√a</span></span>'
)


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        (f"<p>Let {KATEX} be real.", r"Let $\sqrt{a}$ be real."),
        (f'<p class="katex-display">{KATEX}</p>', r"$$\sqrt{a}$$"),
        ("<span class=MathJax>b</span><script type='math/tex'>b_1</script>", "$b_1$"),
        ("<math><mfrac><mn>1</mn><msup><mi>n</mi><mn>2</mn></msup></mfrac></math>", r"$\frac{1}{n^2}$"),
        ("<math><mi>cos</mi><mi>t</mi><mo>=</mo><msqrt><mi>u</mi></msqrt></math>", r"$\cos t=\sqrt{u}$"),
    ],
)
def test_a_formula_is_read_once_as_its_tex(fragment: str, expected: str) -> None:
    assert html_text(fragment) == expected
