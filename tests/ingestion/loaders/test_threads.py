from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import EmptyDocument, UnreadableDocument
from core.types import BodyFormat
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.bodies import plain
from ingestion.loaders.threads import load

FULL = {
    "id": "1423",
    "created": "2024-09-03T10:15:00Z",
    "question": {"title": "Q2b  hangs", "body": "# My loop\n\nnever **stops**", "category": "hw1"},
    "author": {"name": "Sam Student"},
    "thread": [
        {"role": "student", "body": "Same here"},
        {"role": "ta", "body": "<p>Look at <code>i</code></p><p>again</p>", "body_format": "html", "endorsed": True},
        {"role": "student", "body": "Use *for*", "body_format": "text", "endorsed": True},
        {"role": "instructor", "body": "Yes."},
    ],
}


def read(*threads: dict[str, Any]) -> LoadedDocument:
    return load("ed/fall.jsonl", "\n".join(json.dumps(thread) for thread in threads).encode())


def asked(body: str, **more: Any) -> dict[str, Any]:
    return {"id": "1", "question": {"body": body, **more}}


def test_a_thread_becomes_a_heading_and_its_messages() -> None:
    assert [line.text for line in read(FULL).lines] == [
        "Q2b hangs",
        *("Question: My loop", "", "never **stops**"),
        "Reply (student): Same here",
        *("Answer (TA, endorsed): Look at i", "again"),
        "Answer (student, endorsed): Use *for*",
        "Answer (instructor): Yes.",
    ]


def test_only_the_thread_is_a_heading_and_every_line_names_it() -> None:
    document = read(FULL)
    assert [line.level for line in document.lines] == [1] + [0] * 8
    assert {line.cell for line in document.lines} == {"1423"}
    assert document.complete
    assert document.title == "fall"


def test_nothing_about_the_author_is_kept() -> None:
    assert "Sam Student" not in repr(read(FULL))


def test_a_question_without_a_title_is_called_by_its_first_words() -> None:
    assert read(asked("Why is\nthis?")).lines[0].text == "Why is this?"
    assert read(asked("word " * 50)).lines[0].text == "word " * 11 + "word..."
    assert len(read(asked("数" * 500)).lines[0].text) == 103


def test_a_question_may_be_a_title_alone() -> None:
    assert read(asked("", title="Is lab 3 due today?")).lines == (Line("Is lab 3 due today?", level=1, cell="1"),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "Invalid JSON"),
        ('{"id": "2"}', "question: Field required"),
        ('{"id": 2, "question": {"body": "x"}}', "id: Input should be a valid string"),
        ('{"id": "2", "question": {"body": "x"}, "threads": []}', "threads: Extra inputs"),
        ('{"id": "2", "question": {"body": "x"}, "thread": [{"role": "dean", "body": "x"}]}', r"thread\.0\.role"),
        ('{"id": "2", "question": {"body": "<p></p>", "body_format": "html"}}', "no title and no body"),
        ('{"id": "1", "question": {"body": "x"}}', "'1' is also on line 1"),
    ],
)
def test_a_bad_line_is_named_with_the_reason(line: str, reason: str) -> None:
    data = f"{json.dumps(asked('fine'))}\n\n{line}\n".encode()
    with pytest.raises(UnreadableDocument, match=rf"ed\.jsonl, line 3: .*{reason}"):
        load("ed.jsonl", data)


def test_a_file_without_threads_is_an_empty_document() -> None:
    with pytest.raises(EmptyDocument):
        load("ed.jsonl", b"\n\n")


@pytest.mark.parametrize(
    ("body", "body_format", "expected"),
    [
        ("# Head\r\n\r\n`x` <b>y</b>", BodyFormat.MARKDOWN, "Head\n\n`x` **y**"),
        ("<h1>Head</h1>a &lt; b<br>c", BodyFormat.HTML, "Head\na < b\nc"),
        (" # Head <b>\r\n", BodyFormat.TEXT, "# Head <b>"),
        ("", BodyFormat.HTML, ""),
    ],
)
def test_bodies_become_plain_text(body: str, body_format: BodyFormat, expected: str) -> None:
    assert plain(body, body_format) == expected
