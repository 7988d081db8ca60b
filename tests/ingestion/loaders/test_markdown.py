from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EmptyDocument
from ingestion.document import LineKind
from ingestion.loaders.markdown import load, read_lines


def texts(markdown: str) -> list[str]:
    return [line.text for line in read_lines(markdown)]


def levels(markdown: str) -> list[tuple[int, str]]:
    return [(line.level, line.text) for line in read_lines(markdown) if line.level]


def code(markdown: str) -> list[str]:
    return [line.text for line in read_lines(markdown) if line.kind is LineKind.CODE]


def test_headings_of_both_kinds_have_levels_and_no_marks() -> None:
    markdown = "# One ##\n\n### Question 2b {#q2b}\n\nTwo\n===\n\nThree\n---\n\n> ## **Quoted** words\n"
    assert levels(markdown) == [(1, "One"), (3, "Question 2b"), (1, "Two"), (2, "Three"), (2, "Quoted words")]


@pytest.mark.parametrize("markdown", ["#hashtag", "    # code", "```\n# comment\n```", r"\# escaped", "####### 7"])
def test_what_only_looks_like_a_heading_is_none(markdown: str) -> None:
    assert levels(markdown) == []


def test_a_paragraph_above_a_rule_is_no_heading() -> None:
    assert texts("first\nsecond\n---\nthird") == ["first", "second", "---", "third"]
    assert levels("first\nsecond\n---\nthird") == []


def test_headings_written_in_html_count() -> None:
    assert levels("<h2>Question 3</h2>\n\n<center><h1 class='x'>Lab</h1></center>") == [(2, "Question 3"), (1, "Lab")]


def test_code_is_left_alone() -> None:
    body = "# not a heading\nx = a<b>c  # <!-- kept -->\n  [a](b) **c** &lt;"
    assert code(f"text\n\n```python\n{body}\n```\nmore") == body.split("\n")
    assert code("- item\n  ~~~\n  def f():\n      pass\n  ~~~") == ["def f():", "    pass"]
    assert code("text\n\n    indented\n      more") == ["indented", "  more"]
    assert code("```\nnever closed") == ["never closed"]
    assert code("<pre>\n x &lt; <b>y</b>\n</pre>") == [" x < y"]


@pytest.mark.parametrize(
    "kept",
    [
        "`<div>` and ``a ` <b>``",
        r"$a<b$ and $b>c$, $x_i \leq \frac{1}{2}$",
        r"\[ x \](y) and \(a\)",
        "a < b and c > d & e",
        "f[0] and a[i][j]",
        r"$$\sum_{i<n} [a](b) \\ &amp; x$$",
        "costs $5 and $6",
        "x^2 * y * z",
    ],
)
def test_latex_and_inline_code_are_left_alone(kept: str) -> None:
    assert texts(kept) == [kept]


def test_comments_go_with_their_lines() -> None:
    assert texts("a\n\n<!-- BEGIN QUESTION\nname: q1\n-->\nb <!-- x --> c\n<!---->\n") == ["a", "", "b  c"]
    assert texts("<!-- never closed\n\ntext") == ["<!-- never closed", "", "text"]


def test_raw_html_is_stripped_to_its_words() -> None:
    markdown = "<script>\nevil()\n</script>\n\nA<br/>b <span style='x'>c</span> &amp; <b>d</b> <https://x.org>"
    assert texts(markdown) == ["A b c & **d** https://x.org"]
    assert texts("<tr><td>1</td><td>2</td></tr>") == ["| 1 | 2"]


def test_links_and_images_become_words() -> None:
    markdown = "See [the notes](http://x.org/a_(b)) and ![a plot](data:image/png;base64,AA==).\n[![badge](u)](v)"
    assert texts(markdown) == ["See the notes and a plot.", "badge"]
    assert texts('<img src="x.png" alt="A scatter plot">') == ["A scatter plot"]


@pytest.mark.parametrize("line", ["**Question 2b**", "__Question 2b__", "  **Question 2b** ", "<b>Question 2b</b>"])
def test_a_line_bold_as_a_whole_is_bold_without_marks(line: str) -> None:
    (found,) = read_lines(line)
    assert (found.text, found.bold, found.level) == ("Question 2b", True, 0)


@pytest.mark.parametrize("line", ["**a** and **b**", "**a", "text **a**", "**"])
def test_other_lines_are_not_bold(line: str) -> None:
    assert [found.bold for found in read_lines(line)] == [False]


def test_front_matter_gives_its_title_alone() -> None:
    document = load("a.md", b'---\nlayout: page\ntitle: "Lab 1"\n---\n# Heading\ntext')
    assert (document.title, document.text) == ("Lab 1", "Heading\ntext")


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert load("a.md", b"---\n\nSome text.\n\n---\n").text == "Some text."


def test_the_first_heading_is_the_title() -> None:
    assert load("a.md", b"text\n\n## Homework 1\n").title == "Homework 1"


@pytest.mark.parametrize("data", [b"<!-- nothing -->", b"***\n", b"---\ntitle: x\n---\n", b"```\n```"])
def test_marks_without_words_are_an_empty_document(data: bytes) -> None:
    with pytest.raises(EmptyDocument):
        load("a.md", data)


PIECES = [
    "#",
    "-",
    "`",
    "```",
    "\n",
    "    ",
    "<!--",
    "-->",
    "<b",
    ">",
    "[",
    "](",
    ")",
    "**",
    "$",
    "&",
    "---",
    "=",
    "|",
    "a",
    "\r",
    "&#10;",
    "<pre>",
    "</h2>",
    "<script>",
    "\u2028",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_markup_can_be_read(markdown: str) -> None:
    for line in read_lines(markdown):
        assert "\n" not in line.text


@given(st.lists(st.text("abcdefghij ", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=8))
@settings(deadline=None)
def test_plain_paragraphs_come_back_as_they_were(paragraphs: list[str]) -> None:
    markdown = "\n\n".join(paragraphs)
    assert "\n".join(texts(markdown)) == markdown


@pytest.mark.parametrize(
    "piece",
    [
        "[a](",
        "<!-- ",
        "`` ` ",
        "$a ",
        "![",
        "<a b='",
        "> ",
        "- ",
        "**",
        "<div>",
        "<script>",
        "&",
        "a\n",
        "* a\n  - b\n",
    ],
)
def test_reading_time_grows_with_the_length_alone(piece: str) -> None:
    started = perf_counter()
    read_lines(piece * (30_000 // len(piece)))
    # A fortieth of this on a slow machine; minutes where time grows with the square.
    assert perf_counter() - started < 20


def test_the_question_headings_of_real_assignments_are_found(shared_data: Path) -> None:
    folder = shared_data / "ds100_su19_headers"
    for row in (json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()):
        file = folder / "markdown" / f"{row['id']}.md"
        found = [line.text for line in load(file.name, file.read_bytes()).lines if line.level]
        missing = [header["title"].rstrip("# ") for header in row["headers"] if header["is_question"]]
        for title in found:
            if title in missing:
                missing.remove(title)
        assert not missing, file.name


BOOK = """(ch:joins)=
# Joins

See {ref}`the first chapter <ch:relational>` and {math}`x^2`; call {code}`join`.

```{warning}
:class: dropdown
`NOT IN` and NULL do not mix.
```

:::{admonition} Common mistake
:class: tip
A forgotten *ON*.
:::

````{tip} Try it
First this:
```sql
SELECT 1;
```
````

```{code-cell} ipython3
:tags: [hide-input]
x = 1
```

+++ {"slideshow": {"slide_type": "slide"}}

+++

```{tableofcontents}
```
"""


def test_boxes_of_a_jupyter_book_are_prose_without_marks_and_options() -> None:
    lines = [line for line in load("joins.md", BOOK.encode()).lines if line.text]
    assert [line.text for line in lines if line.kind is LineKind.PROSE] == [
        "Joins",
        "See the first chapter and $x^2$; call `join`.",
        "`NOT IN` and NULL do not mix.",
        *("Common mistake", "A forgotten *ON*."),
        *("Try it", "First this:"),
    ]
    assert [line.text for line in lines if line.kind is LineKind.CODE] == ["SELECT 1;", "x = 1"]


def test_a_box_named_solution_is_one_whatever_it_is_made_of() -> None:
    lines = load("ps.md", b"# Sheet\n\n```{solution} q1\n:class: dropdown\nIt is 4.\n```\n\nMore.\n").lines
    assert [line.text for line in lines if line.solution and line.closed] == ["q1", "It is 4."]


def test_struck_words_are_no_text_and_raised_ones_are_powers() -> None:
    assert texts("Room ~~101~~ 202 on <del>Monday</del> Friday, 4<sup>2</sup> seats, `a ~~b~~`, m<sub>1</sub>") == [
        "Room 202 on Friday, 4^2 seats, `a ~~b~~`, m₁"
    ]


def test_comments_of_a_site_generator_are_left_out() -> None:
    document = load(
        "a.md", b"---\nlayout: page\n---\n\nSheet\n\n{%- comment -%}\nThe answer is 7.\n{%- endcomment -%}\n\nEnd"
    )
    assert [line.text for line in document.lines if line.text] == ["Sheet", "End"]


def test_a_page_whose_only_text_is_in_its_header_has_it() -> None:
    header = (
        "title: Week 3\nlayout: week\ntopics:\n- Stacks and their uses\n- Queues\nsummary: |\n    We meet queues.\n\n"
        "    Read *chapter 4* before Tuesday.\n"
    )
    document = load("week3.md", f"---\n{header}---\n\n{{% include nav.html %}}\n".encode())
    text = [line.text for line in document.lines if line.text]
    assert document.title == "Week 3"
    assert text[:3] == ["Topics", "- Stacks and their uses", "- Queues"]
    assert "We meet queues." in text
    assert "week" not in text
    full = load("week3.md", f"---\n{header}---\n\nThis page has sentences of its own, several words.\n".encode())
    assert [line.text for line in full.lines] == ["This page has sentences of its own, several words."]
