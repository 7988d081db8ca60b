"""Nothing that the sample courses say is changed by the safeguards, where an answer says it and cites it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.types import Question
from ingestion.loaders import load
from safeguards import CourseSecrets, without_invisible, without_leaks
from safeguards.checks import Checks, checked
from safeguards.citations import verified
from safeguards.statements import Examined
from tests.pipelines.runs import passage, unmarked, written
from tests.sweeps import choose

DATA = Path(__file__).parents[2] / "data"
COURSES = ("ds101", "gen110")
SECRET = passage("secret", "Two dice.", solution="There are six of thirty-six outcomes with that sum, hence one sixth.")


def sections(text: str) -> Iterator[str]:
    """Pieces of a file, cut at headings."""
    for section in text.replace("\n#", "\0#").split("\0"):
        yield section.strip()


def messages(course: Path) -> Iterator[str]:
    for line in (course / "qa/threads.jsonl").read_text().splitlines():
        thread = json.loads(line)
        yield thread["question"]["body"].strip()
        yield from (message["body"].strip() for message in thread["thread"])


def materials(course: Path) -> Iterator[str]:
    for path in sorted(course.rglob("*.md")):
        yield from sections(path.read_text())
    yield from messages(course)


def answers(course: Path) -> Iterator[str]:
    """What the labels hold of questions and of what was answered, but for the answers that were written to give
    solutions away."""
    for path in sorted((course / "labels").rglob("*.jsonl")):
        if path.parent.name == "disclosure":
            continue
        for line in path.read_text().splitlines():
            yield from texts(json.loads(line))


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


QUESTION = Question(body="Why?")


@pytest.mark.parametrize("course", choose(COURSES, "gen110"))
def test_an_answer_that_cites_its_own_words_comes_out_unchanged(course: str) -> None:
    for text in dict.fromkeys((*materials(DATA / course), *answers(DATA / course))):
        said, found = written(f"{text} [1]"), [passage("1", text)]
        left = unmarked(checked(Examined(said, found, QUESTION), Checks(QUESTION, [*found, SECRET]))).markdown
        assert left == (verified(said, found).markdown if text else "")


@pytest.mark.parametrize("course", COURSES)
def test_nothing_of_the_sample_courses_is_invisible(course: str) -> None:
    assert [text for text in materials(DATA / course) if without_invisible(text) != text] == []


def documents(course: Path) -> Iterator[Path]:
    return (path for path in sorted(course.rglob("*")) if path.suffix in {".md", ".ipynb", ".pdf"})


@pytest.mark.parametrize("course", choose(COURSES, "gen110"))
def test_nothing_that_students_read_or_ask_is_taken_for_a_solution(course: str) -> None:
    texts = {path: load(path.name, path.read_bytes()).text for path in documents(DATA / course)}
    solutions = [text for path, text in texts.items() if path.stem.endswith("_sol")]
    readable = [*(text for path, text in texts.items() if not path.stem.endswith("_sol")), *messages(DATA / course)]
    secrets = CourseSecrets.of(solutions, readable)
    assert secrets
    said = dict.fromkeys((*messages(DATA / course), *answers(DATA / course)))
    assert [text for text in said if without_leaks(text, [], [], secrets) != (text, 0)] == []
