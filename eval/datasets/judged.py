"""Answers that people scored: what judges are calibrated and attacked on.

A folder has `answers.jsonl` (`id`, `question`, `reference`, `answer`, and the scores `score_1`, `score_2`, ...) and
`scale.json` (`min`, `max`). A row may also have `passages` (texts that the answer was written from), `solution` (the
staff's solution of the task asked about), `rival` (another answer to the question) and `author` (who wrote the answer).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import Field, ValidationError

from core.errors import InvalidInput
from core.types import Value
from core.validation import problems_in
from eval.datasets.dataset import Dataset
from eval.datasets.jsonl import Row, read_unique

ANSWERS = "answers.jsonl"
SCALE = "scale.json"
_SCORE = re.compile(r"score_[1-9]\d*")


class Scale(Value):
    """The lowest and the highest score."""

    min: float = Field(allow_inf_nan=False)
    max: float = Field(allow_inf_nan=False)

    @property
    def range(self) -> float:
        return self.max - self.min

    def share(self, score: float) -> float:
        """The score's position on the scale, from 0 to 1."""
        return (score - self.min) / self.range

    def at(self, share: float) -> float:
        """The score at that share of the range."""
        return self.min + share * self.range


class JudgedAnswer(Value):
    """An answer to be judged; `scores` are those of human raters, in the order of their columns."""

    id: str
    question: str
    reference: str = ""
    answer: str
    scores: tuple[float, ...] = ()
    passages: tuple[str, ...] = ()
    solution: str = ""
    rival: str = ""
    author: str = ""

    @property
    def text(self) -> str:
        return self.question

    @property
    def contents(self) -> tuple[Any, ...]:
        return tuple(self.model_dump(mode="json").values())

    @property
    def human(self) -> float:
        """The mean of the human scores."""
        return fmean(self.scores)


@dataclass(frozen=True)
class JudgedAnswers:
    """Scored answers with their scale. `raters` are the columns of the scores; `path` is the folder."""

    dataset: Dataset[JudgedAnswer]
    scale: Scale
    raters: tuple[str, ...]


def read_judged(folder: Path) -> JudgedAnswers:
    """The scored answers of a folder. Raises `InvalidInput` naming file and line of what cannot be used."""
    scale = _read_scale(folder / SCALE)
    rows = read_unique(folder / ANSWERS, "question", "reference", "answer")
    first = next(iter(rows.values()))
    raters = _raters(first)
    items = tuple(_judged(row, raters, first, scale) for row in rows.values())
    return JudgedAnswers(Dataset(folder.resolve().name, items), scale, raters)


def _read_scale(path: Path) -> Scale:
    try:
        scale = Scale.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise InvalidInput(
            f'There is no {path}. Write the lowest and highest score: {{"min": 0, "max": 5}}.'
        ) from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InvalidInput(f'{path} line {line}: not a JSON object such as {{"min": 0, "max": 5}}.') from error
    except ValidationError as error:
        raise InvalidInput(f"{path} line 1: {problems_in(error)}. Write numbers for min and max.") from error
    if scale.range <= 0:
        raise InvalidInput(f"{path} line 1: min ({scale.min:g}) has to be below max ({scale.max:g}).")
    return scale


def _raters(row: Row) -> tuple[str, ...]:
    found = sorted(filter(_SCORE.fullmatch, row.content), key=lambda name: int(name.removeprefix("score_")))
    if not found:
        raise InvalidInput(f"{row.location}: the answer {row.id!r} has no human score. Add score_1 (and score_2, ...).")
    return tuple(found)


def _judged(row: Row, raters: tuple[str, ...], first: Row, scale: Scale) -> JudgedAnswer:
    if (own := _raters(row)) != raters:
        raise InvalidInput(
            f"{row.location}: the answer {row.id!r} has {', '.join(own)}, but the one on line {first.line} has "
            f"{', '.join(raters)}. Every answer needs a score of every rater."
        )
    scores = tuple(_score(row, name, scale) for name in raters)
    if not isinstance(row.content["reference"], str) or not row.content["reference"].strip():
        raise InvalidInput(f"{row.location}: the answer {row.id!r} has no reference. Write one, or leave the row out.")
    known = {name: value for name, value in row.content.items() if name in JudgedAnswer.model_fields}
    try:
        return JudgedAnswer.model_validate({**known, "scores": scores})
    except ValidationError as error:
        raise InvalidInput(f"{row.location}: the answer {row.id!r} is not valid: {problems_in(error)}.") from error


def _score(row: Row, name: str, scale: Scale) -> float:
    value = row.content[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{row.location}: {name} of {row.id!r} is {value!r}. Write a number.")
    if not scale.min <= value <= scale.max:
        raise InvalidInput(
            f"{row.location}: {name} of {row.id!r} is {value:g}, outside the scale from {scale.min:g} to "
            f"{scale.max:g} in {SCALE}. Correct one of them."
        )
    return float(value)


def by_question(items: Mapping[str, JudgedAnswer] | tuple[JudgedAnswer, ...]) -> dict[str, list[JudgedAnswer]]:
    """The answers to each question, in order."""
    found: dict[str, list[JudgedAnswer]] = {}
    for item in items.values() if isinstance(items, Mapping) else items:
        found.setdefault(item.question, []).append(item)
    return found
