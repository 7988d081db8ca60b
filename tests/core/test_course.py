"""The course file."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.course import SENTENCES, Course, read_course
from core.errors import InvalidInput
from core.types import Source, Status


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "course.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_sample_course_is_valid() -> None:
    course = read_course(Path(__file__).parents[2] / "data" / "ds101" / "course.yaml")
    assert (course.id, course.consent_required, set(course.material)) == ("ds101", False, set(Source))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("id: ds101\ndefaults:\n  top_k: 99\n", 3, "top_k"),
        ("id: ds101\ntitel: x\n", 2, "titel"),
        ("id: DS 101\n", 1, "id"),
        ("title: x\n", 1, "id"),
        ("id: a\nid: b\n", 2, "second time"),
        ("id: a\n  b: [\n", 2, "YAML"),
        ("id: a\ndocuments:\n  - match: '*'\n    release_at: 2026-01-01T00:00:00\n", 4, "time zone"),
        ("id: a\nmaterial:\n  textbok: [x]\n", 3, "textbok"),
        ("- a\n", 1, "mapping"),
        ("id: a\ndefaults:\n  beam: 0\n", 3, "beam"),
        ("id: a\nedison:\n  rules:\n    - when: {any: [x]}\n      call: [wiki_retrieval]\n", 5, "textbook_retrieval"),
        ("id: a\nedison:\n  default:\n    - qa_retrieval\n    - wiki_retrieval\n", 5, "wiki_retrieval"),
        ("id: a\nedison:\n  rules:\n    - when:\n        pattern: '(unclosed'\n      call: []\n", 5, "regular"),
        ("id: a\nedison:\n  rules:\n    - when: {}\n      call: []\n", 4, "at least one"),
        (
            "id: a\ncategories: [Homework 1, Exams]\nedison:\n  rules:\n    - when:\n        category:\n"
            "          - Homework *\n          - Exam\n      call: []\n",
            8,
            "'Exam'",
        ),
        ("id: a\nstyle:\n  tone: 3\n", 3, "style.tone"),
    ],
)
def test_an_error_names_the_line_and_the_key(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_course(file(tmp_path, text))
    assert f"line {line}" in str(caught.value)
    assert words in str(caught.value)


def test_a_file_that_is_missing_or_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nope"):
        read_course(tmp_path / "nope.yaml")
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"id: caf\xe9")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_course(path)


def test_every_status_without_an_answer_has_a_sentence_that_a_course_can_change() -> None:
    assert set(SENTENCES) == set(Status) - {Status.ANSWERED}
    course = Course.model_validate({"id": "c", "sentences": {"abstained": "Ask in lab."}})
    assert course.sentence(Status.ABSTAINED) == "Ask in lab."
    assert course.sentence(Status.BLOCKED) == SENTENCES[Status.BLOCKED]
