from __future__ import annotations

import pytest

from core.errors import EmptyDocument
from ingestion.document import LineKind
from ingestion.loaders import load

SHEET = r"""#+TITLE: Sheet 2
#+LATEX_HEADER: \usepackage{amsmath}
# A note to myself.
* Rates :tasks:
:PROPERTIES:
:CUSTOM_ID: rates
:END:
Read /Levine/ and *all* of [[https://example.org/rates.pdf][the notes]]; [[./figure.png]]
the rate is $k_1/k_2$ in =mol= a minute.

| Sheet | Due         |
|-------+-------------|
|     1 | 24 Jan 2025 |
|       |             |
|     2 | 31 Jan 2025 |
|-------+-------------|

#+BEGIN_SRC python
k = 2
#+END_SRC
** Exercise 1
Find the half-life.
#+BEGIN_SOLUTION
It is 0.35 min.
#+END_SOLUTION
#+BEGIN_COMMENT
Too easy?
#+END_COMMENT
* For the next year :noexport:
Ask less.
** Still hidden
no
* Units
#+BEGIN_EXPORT latex
\begin{tabular}{lr} $R$ & 8.314 \ \end{tabular}
#+END_EXPORT
#+BEGIN_EXPORT html
<br>
#+END_EXPORT
"""


def test_what_a_reader_of_the_exported_page_sees_is_read() -> None:
    document = load("sheet2.org", SHEET.encode())
    assert document.title == "Sheet 2"
    shown = [" ".join(line.text.split()) for line in document.lines if line.text and not line.solution]
    assert shown == [
        "Rates",
        "Read *Levine* and **all** of the notes;",
        "the rate is $k_1/k_2$ in `mol` a minute.",
        "| Sheet | Due |",
        "|---|---|",
        "| 1 | 24 Jan 2025 |",
        "| 2 | 31 Jan 2025 |",
        "k = 2",
        "Exercise 1",
        "Find the half-life.",
        "Units",
        "$R$ | 8.314",
    ]


def test_headings_code_and_solutions_are_known_as_such() -> None:
    lines = load("sheet2.org", SHEET.encode()).lines
    assert [(line.text, line.level) for line in lines if line.level] == [("Rates", 1), ("Exercise 1", 2), ("Units", 1)]
    assert [line.text for line in lines if line.kind is LineKind.CODE] == ["k = 2"]
    assert [line.text for line in lines if line.solution and line.text] == ["It is 0.35 min."]


def test_a_block_without_an_end_hides_nothing() -> None:
    lines = load("a.org", b"#+BEGIN_COMMENT\n* Task\nDo it.\n").lines
    assert [line.text for line in lines if line.text] == ["Task", "Do it."]


def test_text_that_is_indented_below_its_heading_is_no_code() -> None:
    text = (
        "** Links[fn:1]\n\n    * A link points to a file\n\n      - it may be broken\n\n    More words.\n* Next\nText\n"
    )
    lines = [line for line in load("a.org", text.encode()).lines if line.text]
    assert {line.kind for line in lines} == {LineKind.PROSE}
    assert [line.text.strip() for line in lines] == [
        "Links", "* A link points to a file", "- it may be broken", "More words.", "Next", "Text",
    ]  # fmt: skip


def test_blocks_inside_each_other_are_read_to_some_depth() -> None:
    text = "#+BEGIN_QUOTE\n" * 5_000 + "Deep.\n" + "#+END_QUOTE\n" * 5_000
    assert [line.text for line in load("a.org", text.encode()).lines if line.text] == ["Deep."]


def test_settings_alone_are_no_text() -> None:
    with pytest.raises(EmptyDocument):
        load("a.org", b"#+OPTIONS: toc:nil\n# nothing\n")
