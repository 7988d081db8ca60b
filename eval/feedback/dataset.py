"""Labelled submissions: `problems.jsonl` and `submissions.jsonl` of one folder.

A problem has `id`, `text`, `solution`, `final` (its final answers as LaTeX or text, one for each part) and `parts`
(their number). A submission has `id`, `problem`, `text`, `labels` (criterion to right, partly, wrong or
not_applicable) and, optionally, `where` (criterion to the text of the line that is amiss).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from core.dataset import Dataset
from core.errors import InvalidInput
from core.homework import CRITERIA, Verdict
from eval.datasets.jsonl import read_unique, validated
from homework.task import HomeworkTask

PROBLEMS, SUBMISSIONS = "problems.jsonl", "submissions.jsonl"


class HomeworkProblem(BaseModel):
    """A homework problem with its official solution."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    text: str
    solution: str = ""
    final: tuple[str, ...] = ()
    parts: Annotated[int, Field(ge=1)] = 1

    @property
    def task(self) -> HomeworkTask:
        return HomeworkTask(self.text, self.solution or None, self.final, self.parts)


class LabelledSubmission(BaseModel):
    """A submission, and what people said of it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    problem: str
    text: str
    labels: dict[str, Verdict]
    where: dict[str, str] = Field(default_factory=dict)

    @field_validator("labels")
    @classmethod
    def _known(cls, labels: dict[str, Verdict]) -> dict[str, Verdict]:
        if unknown := labels.keys() - set(CRITERIA):
            raise ValueError(f"there is no criterion {', '.join(sorted(unknown))}; there are {', '.join(CRITERIA)}")
        if Verdict.CANNOT_TELL in labels.values():
            raise ValueError("a label is right, partly, wrong or not_applicable")
        return labels


@dataclass(frozen=True)
class SubmissionItem:
    """A labelled submission with its problem."""

    submission: LabelledSubmission
    problem: HomeworkProblem

    @property
    def id(self) -> str:
        return self.submission.id

    @property
    def text(self) -> str:
        return self.submission.text

    @property
    def contents(self) -> tuple[str, str]:
        return (self.submission.model_dump_json(), self.problem.model_dump_json())


@dataclass(frozen=True)
class FeedbackDataset:
    """Submissions with their problems."""

    problems: Mapping[str, HomeworkProblem]
    submissions: tuple[LabelledSubmission, ...]
    name: str = ""

    @property
    def items(self) -> Dataset[SubmissionItem]:
        """The submissions as the items of an evaluation."""
        return Dataset(self.name, tuple(SubmissionItem(one, self.problems[one.problem]) for one in self.submissions))


def read_feedback_dataset(folder: Path) -> FeedbackDataset:
    """Read a data set. Raises `InvalidInput` naming the file and line that cannot be used."""
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {folder}. Check the path.")
    problems = {row.id: validated(row, HomeworkProblem) for row in read_unique(folder / PROBLEMS, "text").values()}
    submissions = []
    for row in read_unique(folder / SUBMISSIONS, "problem", "text", "labels").values():
        submission = validated(row, LabelledSubmission)
        if submission.problem not in problems:
            raise InvalidInput(f"{row.location}: there is no problem {submission.problem!r} in {PROBLEMS}.")
        submissions.append(submission)
    return FeedbackDataset(problems, tuple(submissions), folder.resolve().name)
