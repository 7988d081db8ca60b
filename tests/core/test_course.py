"""The course file."""

from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core.course import SENTENCES, Course, read_course
from core.course.sentences import NOTICES, TRANSLATIONS
from core.errors import InvalidInput
from core.types import Source, Status
from tests.sweeps import choose


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


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "id: a\nedison:\n  rules:\n    - wenn: {any: [x]}\n      call: []\n",
            "line 4: edison.rules.0.wenn: There is no key 'wenn'. Did you mean 'when'? Allowed: when, call.",
        ),
        (
            "id: a\nmaterial:\n  textbok: [x]\n",
            "line 3: material.textbok: There is no key 'textbok'. Did you mean 'textbook'? "
            "Allowed: qa, textbook, assignment, logistics.",
        ),
        ("id: a\nsentences: {abstaned: x}\n", "Did you mean 'abstained'?"),
        ("id: a\nstyle: {ton: x}\n", "Allowed: assignments, concepts, logistics, tone."),
        ("id: a\ndocuments: [{mach: x}]\n", "Allowed: match, visibility, release_at, is_text, exclude, notes."),
        ("id: a\ndocuments: x\n", "line 2: documents: must be a list: each entry on a line of its own, after `- `."),
        ("id: a\nedison: [x]\n", "line 2: edison: must be a mapping: lines of `key: value`, indented."),
        ("id: a\ntitle: 2024\n", "line 2: title: must be text: put it in quotes."),
        ("id: a\nedison: {default: wiki}\n", "edison.default.0: there is no function 'wiki'; there are qa_retrieval,"),
        ("id: a\ncategories: 3\nedison: {rules: [{when: {category: x}, call: []}]}\n", "categories: must be a list"),
        (
            "id: a\ncategories: Exams\nedison: {rules: [{when: {category: x}, call: []}]}\n",
            "this course has no category 'x'; it has Exams.",
        ),
    ],
)
def test_an_error_says_what_to_write(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_course(file(tmp_path, text))
    assert complaint in str(caught.value)


def test_one_text_alone_stands_for_a_list_of_one(tmp_path: Path) -> None:
    course = read_course(
        file(
            tmp_path,
            "id: a\ncategories: Exams\nmaterial: {textbook: tb}\nedison:\n  default: qa_retrieval\n  rules:\n"
            "    - when: {any: what is, all: mean, category: Exams}\n      call: textbook_retrieval\n",
        )
    )
    (rule,) = course.edison.rules
    assert (course.categories, course.material[Source.TEXTBOOK], course.edison.default) == (
        ("Exams",), ("tb",), ("qa_retrieval",),
    )  # fmt: skip
    assert (rule.when.any, rule.when.all, rule.call) == (("what is",), ("mean",), ("textbook_retrieval",))


@pytest.mark.parametrize("name", choose(["ds101", "gen110"], "gen110"))
def test_no_error_of_a_course_file_speaks_of_inputs_and_values(tmp_path: Path, name: str) -> None:
    """Each line of a real course file, spoilt: what pydantic says in its own words must not be shown."""
    lines = (Path(__file__).parents[2] / "data" / name / "course.yaml").read_text(encoding="utf-8").splitlines()
    said = []
    for number, line in enumerate(lines):
        key, colon, _ = line.partition(":")
        for spoilt in (f"{key}x{colon} 7", f"{key}{colon} 7", f"{key}{colon} [[]]"):
            text = "\n".join([*lines[:number], spoilt, *lines[number + 1 :]])
            said.append(complaint_about(file(tmp_path, text)))
    assert sum(map(bool, said)) > len(lines)
    assert [one for one in said if re.search("Value error|Extra inputs|tuple|dictionary|valid string", one)] == []


def complaint_about(path: Path) -> str:
    """What is said of the course file; nothing where it is good."""
    try:
        read_course(path)
    except InvalidInput as error:
        return str(error)
    return ""


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


@pytest.mark.parametrize("language", list(TRANSLATIONS))
def test_every_translation_has_every_sentence(language: str) -> None:
    said = {status for status, sentence in {**SENTENCES, **NOTICES}.items() if sentence}
    assert set(TRANSLATIONS[language]) == said
    assert all(TRANSLATIONS[language].values())


def test_a_student_reads_a_sentence_in_her_own_language_and_then_the_courses() -> None:
    course = Course.model_validate({"id": "ds", "sentences": {"abstained": "Ask in lab."}})
    assert course.sentence(Status.ABSTAINED, "de").splitlines() == [
        TRANSLATIONS["de"][Status.ABSTAINED],
        "",
        "Ask in lab.",
    ]
    assert course.sentence(Status.ABSTAINED, "en") == "Ask in lab."
    assert course.sentence(Status.ABSTAINED, "tr") == "Ask in lab."
    german = Course.model_validate({"id": "ds", "language": "de-AT", "sentences": {"abstained": "Fragt im Labor."}})
    assert german.sentence(Status.ABSTAINED, "de") == "Fragt im Labor."


def calendar_of(**entries: Any) -> dict[str, Any]:
    course = Course.model_validate({"id": "x", "calendar": entries})
    return course.model_dump(mode="json", exclude_defaults=True).get("calendar", {})


def test_days_of_the_calendar_are_read_however_yaml_reads_them() -> None:
    entry = {"kind": "exam", "at": datetime(2026, 3, 12, 10, 0), "until": 720}
    assert calendar_of(Midterm=entry) == {"Midterm": {"kind": "exam", "at": "2026-03-12 10:00", "until": "12:00"}}
    assert calendar_of(Essay={"due": date(2026, 3, 6)}) == {"Essay": {"due": "2026-03-06"}}
    assert calendar_of(Essay={"due": "2026-03-06T23:59", "released": "none"}) == {
        "Essay": {"due": "2026-03-06 23:59", "released": "none"}
    }
    assert calendar_of(Essay=None) == {}


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ({"due": "6 March"}, "is no day; write it as 2026-03-06"),
        ({"due": "2026-02-30"}, "is no day"),
        ({"kind": "exam"}, "an event needs `at`"),
        ({"kind": "staff"}, "a person needs `hours`"),
        ({"at": "2026-03-06"}, "an entry of the kind work has no at"),
        ({"removed": True, "due": "2026-03-06"}, "an entry that is removed has no due"),
        ({"kind": "exam", "at": "2026-03-06", "until": "noon"}, "is no time of day"),
        ({"kind": "party"}, "work"),
    ],
)
def test_an_entry_of_the_calendar_says_what_is_wrong(entry: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(error)):
        calendar_of(Essay=entry)
