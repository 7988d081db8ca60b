"""Submissions of ELOQUENT Sensemaking: one JSON object of virtual paths, such as `popular/video-22/answers0.json`.

A row of questions is `[question, reference answer...]`, of answers `[question, answer...]`, of ratings `[score...]`, a
score from 0 to 100 for each answer of the question at the same position.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import Field

from core.errors import InvalidInput
from core.files import write_atomically
from core.types import Value

_NOT_STORABLE = "has half of a surrogate pair or a null character, which is no text"
Rows = tuple[tuple[str | int | float, ...], ...]
"""Texts, or ratings; whole ratings stay whole."""


class ListKind(StrEnum):
    """What a file holds: the first word of its name."""

    QUESTIONS = "questions"
    ANSWERS = "answers"
    RATINGS = "ratings"


class TaskSubmission(Value):
    """The lists of one submission by virtual path, and what was wrong with those that are left out.

    `unusable` are the rows of ratings, by virtual path, that are left out; they are empty in their list, so that those
    after them keep their positions.
    """

    kind: ListKind
    lists: dict[str, Rows]
    problems: tuple[str, ...] = ()
    unusable: dict[str, frozenset[int]] = Field(default_factory=dict)


class CheckedRows(Value):
    """What can be used of a list, and what is wrong with the rest."""

    rows: Rows
    problems: tuple[str, ...] = ()
    unusable: frozenset[int] = frozenset()


class Pair(Value):
    """Two lists about the same questions, with the virtual path of each."""

    first: str
    second: str


def read_submission(path: Path, kind: ListKind) -> TaskSubmission:
    """Lists that cannot be used are left out and named in `problems`. Raises `InvalidInput` for an unusable file."""
    check_name(path, kind)
    content = read_json(path)
    if not isinstance(content, dict):
        raise InvalidInput(f"{path} must be one JSON object of virtual paths, such as a/b/{kind}.json, to lists.")
    lists: dict[str, Rows] = {}
    problems: list[str] = []
    unusable: dict[str, frozenset[int]] = {}
    for key, rows in content.items():
        at = f"{path}: {_printable(key)}"
        try:
            found = usable_rows(rows, kind)
            lists[checked_key(key, kind)] = found.rows
        except InvalidInput as error:
            problems += [f"{at}: {line}" for line in str(error).split("\n")]
            continue
        problems += [f"{at}: {problem}" for problem in found.problems]
        if found.unusable:
            unusable[key] = found.unusable
    return TaskSubmission(kind=kind, lists=lists, problems=tuple(problems), unusable=unusable)


def _printable(key: str) -> str:
    return key.encode(errors="backslashreplace").decode()


def write_submission(path: Path, kind: ListKind, lists: Mapping[str, Sequence[Sequence[str | float]]]) -> None:
    """Write the lists as the task wants them. Raises `InvalidInput` for a name, a key or a list that it refuses."""
    check_name(path, kind)
    checked = {checked_key(key, kind): checked_rows(rows, kind) for key, rows in lists.items()}
    try:
        write_atomically(path, as_json(checked).encode(), private=False)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}. Name another file with --out.") from error


def check_name(path: Path, kind: ListKind) -> None:
    """Raises `InvalidInput` unless the file's own name says what it holds, as the task wants it."""
    if not is_named(path.name, kind):
        raise InvalidInput(f"{path}: the name of a file of {kind} must be {kind}*.json, such as {kind}.json.")


def checked_key(key: str, kind: ListKind) -> str:
    """The virtual path as it is. Raises `InvalidInput` if it leaves the folder or names another kind of file."""
    if not _is_storable(key):
        raise InvalidInput(f"the path {_NOT_STORABLE}: {_short(key)}")
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in key or "\0" in key or ":" in parts[0]:
        raise InvalidInput("the path leaves its folder: write it as source/chapter/section/file, without . and ..")
    if len(parts) < 2 or not is_named(parts[-1], kind):
        raise InvalidInput(f"the path must end in a section and a file {kind}*.json, such as a/b/{kind}0.json")
    return key


def checked_rows(rows: object, kind: ListKind) -> Rows:
    """The list of lists. Raises `InvalidInput` naming row and position of each value that cannot be used, from 0."""
    found = usable_rows(rows, kind)
    if found.problems:
        raise InvalidInput("\n".join(found.problems))
    return found.rows


def usable_rows(rows: object, kind: ListKind) -> CheckedRows:
    """The list of lists without what cannot be used of it: rows of ratings, and answers to questions.

    Raises `InvalidInput` with a line for each such value if the list has to be left out: where a question cannot be
    used, all that follows would belong to others.
    """
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InvalidInput("it must be a list of lists")
    wrong = [_problems(row, kind, f"row {number}") for number, row in enumerate(rows)]
    problems = [problem for of_row in wrong for problem in of_row.values()]
    if kind is ListKind.RATINGS:
        unusable = frozenset(number for number, of_row in enumerate(wrong) if of_row)
        kept = tuple(() if number in unusable else tuple(row) for number, row in enumerate(rows))
        return CheckedRows(
            rows=kept, problems=tuple(f"{one}; the row is left out" for one in problems), unusable=unusable
        )
    if any(0 in of_row for of_row in wrong):
        raise InvalidInput("\n".join(f"{one}; the list is left out" for one in problems))
    kept = tuple(
        tuple(value for position, value in enumerate(row) if position not in of_row)
        for row, of_row in zip(rows, wrong, strict=True)
    )
    return CheckedRows(rows=kept, problems=tuple(f"{one}; it is left out" for one in problems))


def _problems(row: object, kind: ListKind, at: str) -> dict[int, str]:
    """What is wrong with the values of a row, by position; with the row itself, at position 0."""
    if not isinstance(row, Sequence) or isinstance(row, str):
        return {0: f"{at} must be a list, not {_short(row)}"}
    if not row and kind is not ListKind.RATINGS:
        return {0: f"{at} must begin with a question"}
    found = {number: _problem(value, kind, f"{at}, position {number}") for number, value in enumerate(row)}
    return {number: problem for number, problem in found.items() if problem}


def _problem(value: object, kind: ListKind, at: str) -> str:
    if kind is not ListKind.RATINGS:
        if not isinstance(value, str) or not value.strip():
            return f"{at} must be a text that is not empty, not {_short(value)}"
        return "" if _is_storable(value) else f"{at} {_NOT_STORABLE}: {_short(value)}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        return f"{at} must be a rating from 0 to 100, not {_short(value)}"
    return ""


def _short(value: object) -> str:
    return repr(value)[:60]


def _is_storable(text: str) -> bool:
    """False for what JSON can escape and UTF-8 and databases cannot hold."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_named(name: str, kind: ListKind) -> bool:
    """Whether a file of that name holds lists of that kind."""
    return name.startswith(kind) and name.endswith(".json")


def section_of(key: str) -> str:
    """The virtual path of the section that a list is about."""
    return str(PurePosixPath(key).parent)


def paired(first: TaskSubmission, second: TaskSubmission) -> tuple[list[Pair], list[str]]:
    """The lists of `second` with those of `first` about the same questions, and what is wrong with the others.

    Lists belong together if their paths differ in the first word of the file's name only: answers0.json answers
    questions0.json. Questions must be the same in the same order; ratings are counted against the answers.
    """
    pairs: list[Pair] = []
    problems: list[str] = []
    for key, rows in second.lists.items():
        section, name = key.rsplit("/", 1)
        other = f"{section}/{first.kind}{name.removeprefix(second.kind)}"
        if other not in first.lists:
            problems.append(f"{key}: there is no {other} among the {first.kind}.")
        elif (row := _first_difference(first.lists[other], rows, second, key)) is not None:
            problems.append(f"{key}: row {row} differs from {other}. Both need the same questions in the same order.")
        else:
            pairs.append(Pair(first=other, second=key))
    return pairs, problems


def _first_difference(first: Rows, second: Rows, given: TaskSubmission, key: str) -> int | None:
    """The row, from 0, at which the lists are about different questions, or have other numbers of answers.

    `second` is the list `key` of `given`, whose unusable rows fit anything.
    """
    for row, (one, other) in enumerate(zip(first, second, strict=False)):
        fits = len(other) == len(one) - 1 if given.kind is ListKind.RATINGS else other[0] == one[0]
        if not fits and row not in given.unusable.get(key, ()):
            return row
    return None if len(first) == len(second) else min(len(first), len(second))


def as_json(content: object) -> str:
    """JSON as the task's own files are written: indented, letters of all scripts as they are."""
    return json.dumps(content, ensure_ascii=False, indent=4)


def read_json(path: Path) -> Any:
    """The JSON of a file. Raises `InvalidInput` naming it, for a repeated key as well."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_without_repeats)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not JSON in UTF-8: {error}. Correct it there.") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    repeated = next(_repeats([key for key, _ in pairs]), None)
    if repeated is not None:
        raise ValueError(f"the key {repeated!r} occurs twice")
    return dict(pairs)


def _repeats(keys: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            yield key
        seen.add(key)
