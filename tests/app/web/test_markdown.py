"""Answers as courses write: mathematics, code, tables and links, and nothing else that a page would act on."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.code import LANGUAGES, MAX_CODE_CHARS, MAX_LINE_CHARS, stylesheet
from app.web.markdown import markdown

CELL = '<td class="right"><math'


def test_mathematics_becomes_mathml() -> None:
    for text in (
        "$x^2$",
        r"\(x^2\)",
        "$$x^2$$",
        r"\[x^2\]",
        "$$\nx^2\n$$",
        "> $$\n> x^2\n> $$",
        "- so\n  $$\n  x^2\n  $$",
    ):
        assert "<msup><mi>x</mi><mn>2</mn></msup>" in markdown(text)


def test_a_formula_of_several_lines_is_no_list_and_no_heading() -> None:
    shown = markdown("We have\n$$\na\n- b\n= c\n$$\nthen")
    assert 'display="block"' in shown
    assert not re.search("<ul>|<h1>", shown)


def test_bad_tex_and_code_are_shown_as_code() -> None:
    assert r"<code>$\foo{x}$</code>" in markdown(r"So $\foo{x}$.")
    assert "<code>$x$</code>" in markdown("So `$x$`.")
    assert "<math" not in markdown("```\n$x$\n```")


def test_prices_and_variables_are_words() -> None:
    assert markdown("It costs $5 or $6; see $HOME:$PATH.") == "<p>It costs $5 or $6; see $HOME:$PATH.</p>\n"


def test_code_is_marked_by_classes_which_the_stylesheet_has_for_light_and_dark() -> None:
    shown = markdown("```python\nfor x in y: pass\n```")
    assert '<span class="k">for</span>' in shown
    assert "style=" not in shown
    light, dark = stylesheet().split("@media (prefers-color-scheme: dark)")
    assert ".code .k " in light
    assert ".code .k " in dark


@pytest.mark.parametrize("fence", ["```", "```nolanguage", "~~~ {.foo}", "```" + "x" * 500])
def test_code_of_an_unknown_language_is_code(fence: str) -> None:
    closing = fence[:3]
    assert "<pre><code>a &lt; b\n</code></pre>" in markdown(f"{fence}\na < b\n{closing}")


def test_long_code_is_shown_without_marks() -> None:
    for code in ("x = 1\n" * MAX_CODE_CHARS, "x = 1;" * MAX_LINE_CHARS):
        assert "<span" not in markdown(f"```python\n{code}\n```")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_that_is_named_marks_something_or_shows_all(language: str) -> None:
    shown = markdown(f'```{language}\nif (x <= 1): return "<b>" # why\n```')
    assert html.unescape(re.sub("<[^>]*>", "", shown)).strip() == 'if (x <= 1): return "<b>" # why'


def test_a_table_has_formulas_and_alignment_without_styles() -> None:
    shown = markdown("| a | b |\n|--:|:-:|\n| $x$ | [1] |")
    assert CELL in shown
    assert 'class="center"><a class="ref" href="#citation-1"' in shown
    assert "style=" not in shown


def test_a_link_leads_where_it_says() -> None:
    assert markdown("[page](https://a.example/b)") == (
        '<p><a href="https://a.example/b" rel="nofollow noopener noreferrer">page</a></p>\n'
    )


@pytest.mark.parametrize("text", ["$`$ [x](http://evil.example) `", "$$\n```\n$$\n[x](//evil.example)\n```"])
def test_mathematics_makes_no_link_of_what_was_code(text: str) -> None:
    assert "href" not in markdown(text)


HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://evil.example/p)",
    "[x](data:text/html,<script>)", "<a href=javascript:alert(1)>x</a>", "$<script>alert(1)</script>$",
    r"$\text{</math><script>alert(1)</script>}$", "```python\n</code></pre><script>alert(1)</script>\n```",
    "```\"><script>alert(1)</script>\nx\n```", "| <script>alert(1)</script> |\n|---|\n| <img src=x> |",
    "<style>*{display:none}</style>", "<!-- x -->", "&lt;script&gt;", "[x](<javascript:alert(1)> 'onclick=')",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_is_text(text: str) -> None:
    assert_harmless(markdown(text))


@given(st.lists(st.sampled_from([*HOSTILE, "$", "$$", "`", "```", "\n", "\n\n", "> ", "- ", "|", "\\(", "\\[", "x"])))
def test_hostile_pieces_in_any_order_are_text(pieces: list[str]) -> None:
    assert_harmless(markdown("".join(pieces)))


def assert_harmless(shown: str) -> None:
    tags = re.findall(r"<[^>]*>", shown)
    assert not [tag for tag in tags if re.match(r"<(?:script|img|style|iframe|svg|object|form|!)", tag)]
    assert not [tag for tag in tags if re.search(r"javascript:|data:|\son\w+=|\sstyle=", tag)]


@pytest.mark.parametrize(("language", "code"), [("java", "\n" * 9_000), ("make", ("a(" * 200 + "\n") * 20)])
def test_code_that_a_lexer_is_slow_for_is_shown_whole(language: str, code: str) -> None:
    shown = markdown(f"```{language}\n{code}x\n```")
    assert re.sub("<[^>]*>", "", shown).strip("\n").endswith("x")
    assert len(re.sub("<[^>]*>", "", shown)) >= len(code)
