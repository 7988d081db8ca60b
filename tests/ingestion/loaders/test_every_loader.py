"""The contract of a loader, checked for every suffix."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import EmptyDocument, UnreadableDocument
from ingestion.document import LoadedDocument
from ingestion.loaders import LOADERS, SUFFIXES, load
from tests.ingestion.loaders.office.packages import deck, document, saved, workbook

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Homework 1\n", "\n", "Été — **x**\n"]},
        {"cell_type": "code", "id": "c", "metadata": {}, "source": "x = 1", "outputs": [], "execution_count": None},
    ],
}
THREAD = {"id": "7", "question": {"title": "Q2b", "body": "It hangs.\n\nWhy?"}, "thread": [{"role": "ta", "body": "a"}]}
TEXTS = {
    "notebook": json.dumps(NOTEBOOK),
    "markdown": "---\ntitle: Été\n---\n# Question 1\r\n\r\ntext\n```python\nx = 1\n```\n",
    "html": "<title>Été</title><h1>Question 1</h1><p>text</p><pre>x\n  y</pre>",
    "text": "Question 1\r\n\r\n  text\x0cpage two — été\n",
    "threads": json.dumps(THREAD),
    "quarto": "---\ntitle: Été\n---\n# Question 1\n\n::: {.note}\ntext\n:::\n\n```{r, echo=FALSE}\nx <- 1\n```\n",
    "tex.source": "\\title{Été}\n\\begin{document}\n\\section{One}\n\\begin{itemize}\n\\item $x$ é\n\\end{itemize}\n",
    "rst": "Question 1\n==========\n\ntext é\n\n* a\n\n.. note:: b\n",
    "org": "#+TITLE: Été\n* Question 1\ntext é\n- a\n#+BEGIN_SRC python\nx = 1\n#+END_SRC\n",
    "schedules.csv_file": "Date,Topic,Due\n2026-02-03,Été,\n2026-02-10,Looms,HW 1\n",
    "schedules.yaml_file": "- date: 2026-02-03\n  topic: Été\n- date: 2026-02-10\n  due: HW 1\n",
    "schedules.ics_file": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"
    + "".join(
        f"BEGIN:VEVENT\r\nUID:{n}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:2026020{n}T100000\r\nSUMMARY:Été\r\nEND:VEVENT\r\n"
        for n in (3, 4)
    )
    + "END:VCALENDAR\r\n",
    "code": "# Été\ndef main():\n    return 1\n",
    "transcript": "WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nété\r\n",
}

BINARY = (".pdf", ".pptx", ".docx", ".xlsx")

SUFFIX = pytest.mark.parametrize("suffix", SUFFIXES)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def sample(make_pdf: Callable[..., pymupdf.Document]) -> Callable[[str], bytes]:
    def of(suffix: str) -> bytes:
        if suffix == ".pdf":
            return make_pdf([[(72, 72, "Question 1"), (72, 100, "Compute.")]]).tobytes()
        if suffix == ".pptx":
            return saved(deck(("Question 1", "Été")))
        if suffix == ".docx":
            return saved(document(("Heading 1", "Question 1"), ("", "Été")))
        if suffix == ".xlsx":
            return saved(
                workbook(("Plan", [["Date", "Topic"], [date(2026, 2, 3), "Été"], [date(2026, 2, 10), "Looms"]]))
            )
        return TEXTS[LOADERS[suffix]].encode()

    return of


def _check(document: LoadedDocument) -> None:
    assert document.title.strip()
    assert "\n" not in document.title
    assert any(line.text.strip() for line in document.lines)
    assert len(document.offsets) == len(document.lines) + 1
    for line, start in zip(document.lines, document.offsets, strict=False):
        assert document.text[start : start + len(line.text)] == line.text
        assert "\n" not in line.text
        assert "\0" not in line.text
        line.text.encode()  # no lone surrogates


@SUFFIX
def test_positions_point_at_lines(suffix: str, sample: Callable[[str], bytes]) -> None:
    _check(load(f"folder/file{suffix}", sample(suffix)))


@SUFFIX
def test_the_same_bytes_give_the_same_document(suffix: str, sample: Callable[[str], bytes]) -> None:
    data = sample(suffix)
    assert load(f"file{suffix}", data) == load(f"file{suffix}", data)


@SUFFIX
def test_a_suffix_in_capitals_is_the_same_suffix(suffix: str, sample: Callable[[str], bytes]) -> None:
    assert load(f"file{suffix.upper()}", sample(suffix)).lines


@SUFFIX
def test_an_empty_file_is_an_empty_document(suffix: str) -> None:
    with pytest.raises(EmptyDocument, match=rf"file\{suffix}"):
        load(f"file{suffix}", b"")


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix not in BINARY])
@pytest.mark.parametrize("data", [b" \n\t\r\n", b"\xef\xbb\xbf", b"\x0c\x0c"])
def test_a_file_of_white_space_is_an_empty_document(suffix: str, data: bytes) -> None:
    with pytest.raises(EmptyDocument):
        load(f"file{suffix}", data)


@SUFFIX
def test_a_picture_with_the_wrong_suffix_is_unreadable(suffix: str) -> None:
    with pytest.raises(UnreadableDocument, match="file"):
        load(f"file{suffix}", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0")


@SUFFIX
def test_a_truncated_file_loads_or_is_unreadable(suffix: str, sample: Callable[[str], bytes]) -> None:
    data = sample(suffix)
    for length in range(0, len(data), max(1, len(data) // 40)):
        _load_or_refuse(suffix, data[:length])


@SUFFIX
@given(data=st.binary(max_size=300))
@QUICK
def test_random_bytes_load_or_are_unreadable(suffix: str, data: bytes) -> None:
    _load_or_refuse(suffix, data)


@SUFFIX
@given(text=st.text(max_size=300))
@QUICK
def test_random_text_loads_or_is_unreadable(suffix: str, text: str) -> None:
    _load_or_refuse(suffix, text.encode())


@SUFFIX
@given(position=st.floats(0, 1), junk=st.binary(min_size=1, max_size=4))
@QUICK
def test_a_damaged_file_loads_or_is_unreadable(
    suffix: str, position: float, junk: bytes, sample: Callable[[str], bytes]
) -> None:
    data = bytearray(sample(suffix))
    at = int(position * len(data))
    data[at : at + len(junk)] = junk
    _load_or_refuse(suffix, bytes(data))


def _load_or_refuse(suffix: str, data: bytes) -> None:
    try:
        document = load(f"file{suffix}", data)
    except UnreadableDocument as error:
        message = str(error)
    else:
        _check(document)
        return
    assert f"file{suffix}" in message


@pytest.mark.parametrize("name", ["notes.doc", "Makefile", ".pdf"])
def test_an_unknown_suffix_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"Supported: \.pdf, \.ipynb, \.md"):
        load(name, b"x")


def test_the_title_falls_back_on_the_name() -> None:
    assert load("hw/hw 3.final.txt", b"text").title == "hw 3.final"


def test_parsers_are_imported_only_when_needed() -> None:
    code = (
        "import sys; from ingestion.loaders import load; load('a.txt', b'x'); load('a.md', b'x');"
        "heavy = {'pymupdf', 'nbformat', 'bs4', 'torch'} & set(sys.modules); sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
