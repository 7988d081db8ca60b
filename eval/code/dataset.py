"""Labelled questions about code: `exercises.jsonl` and `questions.jsonl` of one folder.

An exercise has `id`, `text`, `solution` and `tests` (each with `call` and `expected`). A question has `id`, `exercise`,
`language` (the student's, such as en or nl), `programming_language` (told by the code where it is left out),
`question`, `code`, `line` (or null), `tests` and `linting` (as `core.code.CodeTest` and `LintMessage`), `issue`
(`line`: a list, of which each is right; `kind`; `summary`) and `reference`, an expert's answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from core.code import CodeTest, IssueKind, LintMessage
from core.dataset import Dataset
from core.errors import InvalidInput
from core.types import Question
from eval.datasets.jsonl import read_unique, validated

EXERCISES, QUESTIONS = "exercises.jsonl", "questions.jsonl"


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Exercise(_Row):
    """An exercise with its official solution."""

    id: str
    text: str
    solution: str = ""
    tests: tuple[dict[str, Any], ...] = ()


class LabelledIssue(_Row):
    """What an expert found in the code. Each of the lines is a right place."""

    line: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    kind: IssueKind
    summary: str = ""


class CodeQuestion(_Row):
    """A question about code, with what an expert says of it."""

    id: str
    exercise: str
    language: str
    programming_language: str | None = None
    question: str = Field(min_length=1)
    code: str
    line: Annotated[int, Field(ge=1)] | None = None
    tests: tuple[CodeTest, ...] = ()
    linting: tuple[LintMessage, ...] = ()
    issue: LabelledIssue
    reference: str = ""

    def asked(self, exercise: Exercise) -> Question:
        """The question as the service gets it."""
        return Question(
            body=self.question, code=self.code, line=self.line, tests=self.tests, linting=self.linting,
            language=self.language, programming_language=self.programming_language, exercise=exercise.text,
        )  # fmt: skip


@dataclass(frozen=True)
class CodeItem:
    """A labelled question about code with its exercise."""

    labelled: CodeQuestion
    exercise: Exercise

    @property
    def id(self) -> str:
        return self.labelled.id

    @property
    def text(self) -> str:
        return self.labelled.question

    @property
    def contents(self) -> tuple[str, str]:
        return (self.labelled.model_dump_json(), self.exercise.model_dump_json())


@dataclass(frozen=True)
class CodeDataset:
    """Questions with their exercises."""

    exercises: Mapping[str, Exercise]
    questions: tuple[CodeQuestion, ...]
    name: str = ""

    @property
    def items(self) -> Dataset[CodeItem]:
        """The questions as the items of an evaluation."""
        return Dataset(self.name, tuple(CodeItem(one, self.exercises[one.exercise]) for one in self.questions))


def read_code_dataset(folder: Path) -> CodeDataset:
    """Read a data set. Raises `InvalidInput` naming the file and line that cannot be used."""
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {folder}. Check the path.")
    exercises = {row.id: validated(row, Exercise) for row in read_unique(folder / EXERCISES, "text").values()}
    questions = []
    for row in read_unique(folder / QUESTIONS, "exercise", "question", "code", "issue").values():
        question = validated(row, CodeQuestion)
        if question.exercise not in exercises:
            raise InvalidInput(f"{row.location}: there is no exercise {question.exercise!r} in {EXERCISES}.")
        questions.append(question)
    return CodeDataset(exercises, tuple(questions), folder.resolve().name)
