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


def test_blocks_deep_inside_each_other_are_left_out() -> None:
    text = (
        "Above.\n" + "#+BEGIN_QUOTE\n" * 5_000 + "#+begin_solution\nDeep.\n#+end_solution\n" + "#+END_QUOTE\n" * 5_000
    )
    assert "Deep." not in [line.text for line in load("a.org", text.encode()).lines if not line.solution]


HIDDEN = {
    "a comment": "* COMMENT Answers\nSecret\n** More\nSecret\n* Task\nDo.",
    "an archive": "* Old :ARCHIVE:\nSecret\n* Task\nDo.",
    "a tag alone": "* :noexport:\nSecret\n* Task\nDo.",
    "a tag of the file's own": "#+EXCLUDE_TAGS: mine\n* Notes :mine:\nSecret\n* Task\nDo.",
    "a solution by its tag": "* How :solution:\nSecret\n* Task\nDo.",
    "code that is not exported": "* Task\nDo.\n#+begin_src python :exports none\nSecret\n#+end_src",
    "results that are not exported": "* Task\nDo.\n#+begin_src sh :exports code\nls\n#+end_src\n#+RESULTS:\n: Secret",
    "a remark": "* Task\nDo.@@comment: Secret@@",
    "a block for staff": "* Task\nDo.\n#+begin_rubric\nSecret\n#+end_rubric",
    "a fence in a solution": "* Task\nDo.\n#+begin_solution\n#+begin_src md\n```\nx\n#+end_src\nSecret\n#+end_solution",
    "a div in a solution": "* Task\nDo.\n#+begin_solution\n:::\nSecret\n#+end_solution",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_what_org_does_not_export_and_what_is_for_staff_is_not_shown(text: str) -> None:
    seen = [line.text for line in load("a.org", text.encode()).lines if not (line.solution or line.staff)]
    assert not any("Secret" in line for line in seen)
    assert {"Task", "Do."} <= {line.strip() for line in seen}


@pytest.mark.parametrize(
    "text", [":note:\nOne\n* Task\n:PROPERTIES:\n:ID: 1\n:END:\nDo.", "#+begin_comment\nx\n* Task\nDo."]
)
def test_what_has_no_end_hides_no_further_part(text: str) -> None:
    later = f"{text}\n#+begin_comment\ny\n#+end_comment\n"
    assert {"Task", "Do."} <= {line.text for line in load("a.org", later.encode()).lines}


def test_settings_alone_are_no_text() -> None:
    with pytest.raises(EmptyDocument):
        load("a.org", b"#+OPTIONS: toc:nil\n# nothing\n")
