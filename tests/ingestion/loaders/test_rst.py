from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import EmptyDocument, UnreadableDocument
from ingestion.document import Line, LineKind
from ingestion.loaders import load

NOTES = """
=====
Notes
=====

.. contents::

Sampling
========

Take :math:`n` values, see :py:func:`numpy.mean` and :ref:`the chapter <ch>`, or ``x[0]`` and *more*.

.. math::

   x^2

.. code-block:: python

   def f():
       return 1

Deeper
------

1. first
2. second

   a) inside

- point

=====  =====
x      p(x)
=====  =====
0      1/2
=====  =====

.. a comment
"""


def _lines(text: str) -> list[Line]:
    return [line for line in load("n.rst", text.encode()).lines if line.text]


def test_sections_code_formulas_lists_and_tables_are_lines() -> None:
    assert load("n.rst", NOTES.encode()).title == "Notes"
    assert [(line.level, line.text) for line in _lines(NOTES)] == [
        *((1, "Notes"), (2, "Sampling")),
        (0, "Take $n$ values, see numpy.mean and the chapter, or `x[0]` and more."),
        *((0, "$$x^2$$"), (0, "def f():"), (0, "    return 1"), (3, "Deeper")),
        *((0, "1. first"), (0, "2. second"), (0, "  a) inside"), (0, "- point"), (0, "x | p(x)"), (0, "0 | 1/2")),
    ]
    assert [line.text for line in _lines(NOTES) if line.kind is LineKind.CODE] == ["def f():", "    return 1"]


def test_the_content_of_unknown_directives_is_read() -> None:
    text = (
        ".. exercise:: Means\n   :label: q1\n\n   Compute **it**.\n\n.. toctree::\n   :maxdepth: 1\n\n   ch1\n   ch2\n"
    )
    assert [line.text for line in _lines(text)] == ["Means", "Compute it."]


@pytest.mark.parametrize(
    "text",
    [
        ".. solution:: q1\n\n   It is 42.\n",
        ".. exercise:: A\n\n   Compute.\n\n   .. solution::\n\n      It is 42.\n",
        ".. container:: solution\n\n   It is 42.\n",
        ".. dropdown:: Solution\n\n   It is 42.\n",
    ],
)
def test_directives_for_solutions_are_solutions(text: str) -> None:
    lines = _lines(text + "\nshown\n")
    assert [(line.solution, line.closed) for line in lines if "42" in line.text] == [(True, True)]
    assert (lines[-1].text, lines[-1].solution) == ("shown", False)


def test_other_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("beyond")
    path = tmp_path / "secret.txt"
    text = f"words\n\n.. include:: {path}\n\n.. csv-table::\n   :file: {path}\n\n.. raw:: html\n   :file: {path}\n"
    assert [line.text for line in _lines(text)] == ["words"]


def test_comments_alone_are_empty() -> None:
    with pytest.raises(EmptyDocument, match="only comments"):
        load("n.rst", b".. a comment\n")


def test_deep_nesting_is_no_crash() -> None:
    deep = "".join("  " * n + "* x\n\n" for n in range(300))
    with suppress(UnreadableDocument):
        load("n.rst", deep.encode())
