"""Labelled questions: which course functions a message needs (EduMod-LLM, section 3.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from pydantic import Field, ValidationError

from core.errors import InvalidInput
from core.store.store import Store
from core.types import Value
from core.validation import problems_in
from eval.agreement import kappa
from eval.datasets.jsonl import read_unique
from eval.datasets.stored import LabelledMessage, stored_labels
from retrievers.functions import COURSE_FUNCTIONS

KIND = "functions"
"""Kind of evaluations and labels."""
QUESTIONS, LABELS = "questions.jsonl", "labels.jsonl"
FUNCTIONS = tuple(function.name for function in COURSE_FUNCTIONS)


class LabelledQuestion(LabelledMessage):
    """A student's question, the functions it needs, and the labels of the two raters if it has two."""

    functions: tuple[str, ...]
    raters: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def contents(self) -> tuple[Any, ...]:
        """Without the labels of single raters: pipelines are compared with the agreed label."""
        asked = json.dumps(self.question.model_dump(mode="json"), sort_keys=True)
        return (self.id, self.split, asked, sorted(self.functions))


class RaterAgreement(Value):
    """Agreement of the two raters: share of equal sets, and Cohen's kappa per function."""

    n: int = Field(description="Questions with two raters.")
    same_set: float | None = None
    kappa: dict[str, float | None] = Field(default_factory=dict)


def read_function_labels(folder: Path) -> list[LabelledQuestion]:
    """Read `questions.jsonl` and `labels.jsonl`. Raises `InvalidInput` naming the file and the line or id."""
    questions, labels = (read_unique(folder / name) for name in (QUESTIONS, LABELS))
    missing = sorted(questions.keys() ^ labels.keys())
    if missing:
        raise InvalidInput(f"{folder}: only one of {QUESTIONS} and {LABELS} has {', '.join(missing[:5])}.")
    found = []
    for name, row in questions.items():
        try:
            labelled = LabelledQuestion.model_validate({**row.content, **labels[name].content})
        except ValidationError as error:
            raise InvalidInput(
                f"{folder}: the labelled question {name!r} is not valid: {problems_in(error)}."
            ) from error
        for function in {*labelled.functions, *(one for rated in labelled.raters.values() for one in rated)}:
            if function not in FUNCTIONS:
                raise InvalidInput(
                    f"{folder / LABELS}: {name!r} names the function {function!r}; there are {', '.join(FUNCTIONS)}."
                )
        found.append(labelled)
    return found


def in_words(functions: Iterable[str]) -> str:
    """A set of functions for people."""
    return " + ".join(map(short_name, functions)) or "nothing"


def short_name(function: str) -> str:
    """`textbook` for `textbook_retrieval`."""
    return function.removesuffix("_retrieval")


async def labelled_questions(store: Store, course_id: str, split: str | None) -> list[LabelledQuestion]:
    """A course's labelled questions of one split, or all. Raises `InvalidInput` if it has none."""
    return await stored_labels(store, course_id, KIND, LabelledQuestion, split)


def agreement(questions: Sequence[LabelledQuestion]) -> RaterAgreement:
    """The agreement on the questions that have two raters."""
    rated = [[frozenset(marked) for marked in one.raters.values()] for one in questions if len(one.raters) == 2]
    if not rated:
        return RaterAgreement(n=0)
    return RaterAgreement(
        n=len(rated),
        same_set=round(fmean(float(a == b) for a, b in rated), 4),
        kappa={name: _kappa([name in a for a, _ in rated], [name in b for _, b in rated]) for name in FUNCTIONS},
    )


def _kappa(a: list[bool], b: list[bool]) -> float | None:
    """None, since undefined, if both raters gave every question the same label."""
    value = kappa(np.array(a), np.array(b))
    return None if isnan(value) else round(value, 4)
