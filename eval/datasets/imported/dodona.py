"""Questions as Dodona stores them (CS1 question study, supplementary material): JSON, one object or a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import InvalidInput
from core.validation import problems_in
from eval.datasets.imported.question import ImportedQuestion
from student_code.results import dodona

LANGUAGES = {"english": "en", "dutch": "nl", "nederlands": "nl"}


class DodonaEntry(BaseModel):
    """The fields of the sample in the study; others are ignored."""

    model_config = ConfigDict(extra="ignore")

    question: str
    code: str
    exercise_question: str
    line_number: int | None = Field(default=None, ge=0)
    user_language: str = ""
    programming_language: str | None = None
    educator_answer: str | None = None
    testcases: dict[str, Any] = Field(default_factory=dict)


def read_dodona(path: Path) -> list[ImportedQuestion]:
    """The questions of the file in order. Raises `InvalidInput` naming the entry that is not one."""
    return [_imported(entry, location) for location, entry in _entries(path)]


def _entries(path: Path) -> Iterator[tuple[str, DodonaEntry]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}.") from error
    for number, row in enumerate(content if isinstance(content, list) else [content], 1):
        location = f"{path} entry {number}"
        try:
            yield location, DodonaEntry.model_validate(row)
        except ValidationError as error:
            raise InvalidInput(f"{location} is not a question: {problems_in(error)}.") from error


def _imported(entry: DodonaEntry, location: str) -> ImportedQuestion:
    language = entry.user_language.strip().casefold()
    return ImportedQuestion(
        location=location,
        exercise=entry.exercise_question,
        question=entry.question.strip(),
        code=entry.code,
        answer=(entry.educator_answer or "").strip(),
        line=entry.line_number or None,  # 0 is above the first line: the question is about the whole submission.
        language=LANGUAGES.get(language, language or None),
        programming_language=entry.programming_language,
        tests=tuple(dodona.read(entry.testcases)),
        linting=dodona.linting(entry.testcases),
    )
