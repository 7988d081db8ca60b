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
