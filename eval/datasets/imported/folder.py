"""Questions as files: a folder per exercise with `exercise.md`, and beside it the submissions.

A submission `anna.py` has its question in `anna.question.md`, and perhaps the answer of staff in `anna.answer.md` and
a report of the tests in `anna.tests.json` (Dodona), `.tests.xml` (JUnit) or `.tests.txt` (pytest, unittest). A question
may begin with the lines `line: 7` and `language: nl`. Submissions without a question are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from core.code import CodeTest, LintMessage
from core.errors import InvalidInput
from eval.datasets.imported.question import ImportedQuestion
from student_code.results import dodona, read_results

EXERCISE = "exercise.md"
QUESTION, ANSWER, TESTS = ".question.md", ".answer.md", ".tests"
_HEADER = re.compile(r"\A(?:(?:line|language):[^\n]*\n)+", re.IGNORECASE)
_FIELD = re.compile(r"^(line|language):[ \t]*(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)


def read_folder(folder: Path) -> list[ImportedQuestion]:
    """The questions, by exercise and name. Raises `InvalidInput` naming a file that is missing or not readable."""
    found = [_imported(path) for path in sorted(folder.rglob(f"*{QUESTION}"))]
    if not found:
        raise InvalidInput(f"{folder} has no questions: files that end with {QUESTION}, each beside its submission.")
    return found


def _imported(path: Path) -> ImportedQuestion:
    name = path.name.removesuffix(QUESTION)
    code = _submission(path.parent, name)
    text = _text(path)
    header = _HEADER.match(text)
    fields = {key.casefold(): value for key, value in _FIELD.findall(header[0])} if header else {}
    answer = path.with_name(f"{name}{ANSWER}")
    tests, linting = _results(path.parent, name)
    return ImportedQuestion(
        location=str(path),
        exercise=_text(path.parent / EXERCISE),
        question=text[header.end() if header else 0 :].strip(),
        code=_text(code),
        answer=_text(answer).strip() if answer.is_file() else "",
        line=_line(fields.get("line"), path),
        language=fields.get("language"),
        programming_language=code.suffix[1:],
        tests=tests,
        linting=linting,
    )


def _submission(folder: Path, name: str) -> Path:
    """The file with that name that is none of the others. Raises `InvalidInput` unless there is exactly one."""
    found = [path for path in sorted(folder.glob("*.*")) if path.stem == name]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise InvalidInput(f"{folder / name}{QUESTION} needs one submission beside it; found: {names}.")
    return found[0]


def _line(value: str | None, path: Path) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or not int(value):
        raise InvalidInput(f"{path}: the line {value!r} is not a number from 1.")
    return int(value)


def _results(folder: Path, name: str) -> tuple[tuple[CodeTest, ...], tuple[LintMessage, ...]]:
    """Tests and linting of the report beside a submission. Raises `InvalidInput` if it is not readable."""
    path = next((one for one in _reports(folder, name) if one.is_file()), None)
    if path is None:
        return (), ()
    text = _text(path)
    try:
        if path.suffix != ".json":
            return read_results(text), ()
        report = json.loads(text)
        return read_results(report), dodona.linting(report)
    except (ValueError, RecursionError, AttributeError, InvalidInput) as error:
        raise InvalidInput(f"{path} is not a report of tests: {error}") from error


def _reports(folder: Path, name: str) -> Iterator[Path]:
    return (folder / f"{name}{TESTS}{suffix}" for suffix in (".json", ".xml", ".txt"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as text (UTF-8): {error}.") from error
