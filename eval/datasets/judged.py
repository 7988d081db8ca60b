"""Answers that people scored: what judges are calibrated and attacked on.

A folder has `answers.jsonl` (`id`, `question`, `reference`, `answer`, and the scores `score_1`, `score_2`, ...) and
`scale.json` (`min`, `max`). A row may also have `score_resolved` (what the raters settled on), `passages` (texts that
the answer was written from), `solution` (the staff's solution of the task asked about), `rival` (another answer to the
question) and `author` (who wrote the answer).

Where `judges` in `scale.json` gives a judge a scale of its own, the scores for it are `JUDGE_1`, `JUDGE_2`, ...
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from pydantic import Field, ValidationError

from core.dataset import Dataset
from core.errors import InvalidInput
from core.validation import problems_in
from eval.datasets.jsonl import JsonLine, read_unique
from judging.answers import JudgedAnswer, JudgedAnswers, Scale

ANSWERS = "answers.jsonl"
SCALE = "scale.json"
COLUMN = "score"
"""Name of the scores that every judge is compared with that has none of its own."""
RESOLVED = "resolved"


class _Scales(Scale):
    """The content of `scale.json`: the scale of all judges but those with one of their own."""

    judges: dict[str, Scale] = Field(default_factory=dict)


def read_judged(folder: Path, judge: str = COLUMN) -> JudgedAnswers:
    """The answers of a folder with the scores for that judge.

    Raises `InvalidInput` naming file and line of what cannot be used.
    """
    scales = _read_scales(folder / SCALE)
    column, scale = (judge, scales.judges[judge]) if judge in scales.judges else (COLUMN, scales)
    rows = read_unique(folder / ANSWERS, "question", "reference", "answer")
    first = next(iter(rows.values()))
    raters = _raters(first, column)
    items = tuple(_judged(row, column, first, scale) for row in rows.values())
    return JudgedAnswers(Dataset(folder.resolve().name, items), scale, raters)


def _read_scales(path: Path) -> _Scales:
    try:
        scales = _Scales.model_validate(json.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError as error:
        raise InvalidInput(
            f'There is no {path}. Write the lowest and highest score: {{"min": 0, "max": 5}}.'
        ) from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InvalidInput(f'{path} line {line}: not a JSON object such as {{"min": 0, "max": 5}}.') from error
    except ValidationError as error:
        raise InvalidInput(f"{path} line 1: {problems_in(error)}. Write numbers for min and max.") from error
    for scale in (scales, *scales.judges.values()):
        if scale.range <= 0:
            raise InvalidInput(f"{path} line 1: min ({scale.min:g}) has to be below max ({scale.max:g}).")
    return scales


def _raters(row: JsonLine, column: str) -> tuple[str, ...]:
    numbered = re.compile(rf"{re.escape(column)}_([1-9]\d*)")
    found = {int(match[1]): name for name in row.content if (match := numbered.fullmatch(name))}
    if not found:
        raise InvalidInput(
            f"{row.location}: the answer {row.id!r} has no human score. Add {column}_1 (and {column}_2, ...)."
        )
    return tuple(found[number] for number in sorted(found))


def _judged(row: JsonLine, column: str, first: JsonLine, scale: Scale) -> JudgedAnswer:
    raters, settled = _raters(first, column), f"{column}_{RESOLVED}"
    if (own := _raters(row, column)) != raters:
        raise InvalidInput(
            f"{row.location}: the answer {row.id!r} has {', '.join(own)}, but the one on line {first.line} has "
            f"{', '.join(raters)}. Every answer needs a score of every rater."
        )
    if (settled in row.content) != (settled in first.content):
        raise InvalidInput(
            f"{row.location}: {settled} stands only in some answers; the one on line {first.line} differs from this "
            "one. Write it for every answer or for none."
        )
    scores = tuple(_score(row, name, scale) for name in raters)
    resolved = _score(row, settled, scale) if settled in row.content else None
    if not isinstance(row.content["reference"], str) or not row.content["reference"].strip():
        raise InvalidInput(f"{row.location}: the answer {row.id!r} has no reference. Write one, or leave the row out.")
    known = {name: value for name, value in row.content.items() if name in JudgedAnswer.model_fields}
    try:
        return JudgedAnswer.model_validate({**known, "scores": scores, "resolved": resolved})
    except ValidationError as error:
        raise InvalidInput(f"{row.location}: the answer {row.id!r} is not valid: {problems_in(error)}.") from error


def _score(row: JsonLine, name: str, scale: Scale) -> float:
    value = row.content[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(f"{row.location}: {name} of {row.id!r} is {value!r}. Write a number.")
    if not scale.min <= value <= scale.max:
        raise InvalidInput(
            f"{row.location}: {name} of {row.id!r} is {value:g}, outside the scale from {scale.min:g} to "
            f"{scale.max:g} in {SCALE}. Correct one of them."
        )
    return float(value)
