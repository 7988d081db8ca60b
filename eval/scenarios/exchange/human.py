"""Scores that people gave dialogues in Label Studio, compared with those of a scenario's judge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core.errors import InvalidInput, NotFound
from core.types import Value
from core.validation import problems_in
from eval.agreement import ScoreAgreement, agreement, among_raters
from eval.scenarios.dialects.v1_0 import EXPORT
from eval.scenarios.judging import numbers_in
from eval.statistics import Resampling

Scores = dict[str, dict[str, float]]
"""By dialogue, then field."""
YES = "Yes"


class _Region(BaseModel):
    from_name: str = ""
    value: dict[str, Any] = Field(default_factory=dict)


class _Annotation(BaseModel):
    completed_by: int | dict[str, Any] | None = None
    was_cancelled: bool = False
    result: tuple[_Region, ...] = ()


class _Data(BaseModel):
    task_id: str


class _Task(BaseModel):
    model_config = ConfigDict(extra="ignore")

    data: _Data
    annotations: tuple[_Annotation, ...]


_TASKS = TypeAdapter(list[_Task])


class FieldAgreement(Value):
    """One field: the judge beside the mean of the people, and the people among themselves (None with one)."""

    n: int = Field(description="Dialogues that the judge and all of these people scored.")
    raters: tuple[str, ...]
    judge: ScoreAgreement
    humans: ScoreAgreement | None


class HumanReport(Value):
    """How far a scenario's judge agrees with people."""

    scenario: str
    rated: int = Field(description="Dialogues that people scored.")
    unjudged: int = Field(description="Those of them that the judge gave no scores.")
    fields: dict[str, FieldAgreement]


def read_labels(path: Path) -> dict[str, Scores]:
    """Scores by rater from Label Studio's export in its JSON format. Skipped tasks and texts are left out.

    Raises `InvalidInput` for any other file, and `NotFound` if nobody scored anything.
    """
    try:
        tasks = _TASKS.validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise InvalidInput(
            f"{path} is not an export of Label Studio in its JSON format: {problems_in(error, 1)}. Export it as JSON."
        ) from error
    found: dict[str, Scores] = {}
    for task in tasks:
        for annotation in task.annotations:
            numbers = {one.from_name: number for one in annotation.result if (number := _number(one.value)) is not None}
            if numbers and not annotation.was_cancelled:
                found.setdefault(_rater(annotation.completed_by), {})[task.data.task_id] = numbers
    if not found:
        raise NotFound(f"Nobody scored a field in {path}. Export the project after people have labelled it.")
    return dict(sorted(found.items()))


def read_judged(folder: Path) -> Scores:
    """The scores that `edumod elmes eval` wrote. Raises `NotFound` if there are none."""
    found = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    if not found:
        raise NotFound(f"There are no scores of a judge in {folder}. Run `edumod elmes eval` first.")
    return dict(_scores(path, content) for path, content in found.items())


def _scores(path: Path, content: Mapping[str, Any]) -> tuple[str, dict[str, float]]:
    """Name of the dialogue and its numbers; files of dialect 1.0 have more around them."""
    if "case_name" in content:
        return f"{content['case_name']}{EXPORT}", dict(numbers_in(content["scores"]))
    return path.stem, dict(numbers_in(content))


def human_report(scenario: str, judged: Scores, people: Mapping[str, Scores]) -> HumanReport:
    """Every field that both have, on the dialogues that all who scored the field have in common. CPU-bound."""
    rated = {name for scores in people.values() for name in scores}
    fields = dict.fromkeys(field for scores in judged.values() for field in scores)
    compared = {field: _on_field(field, judged, people) for field in fields}
    return HumanReport(
        scenario=scenario,
        rated=len(rated),
        unjudged=len(rated - judged.keys()),
        fields={field: found for field, found in compared.items() if found is not None},
    )


def _on_field(field: str, judged: Scores, people: Mapping[str, Scores]) -> FieldAgreement | None:
    raters = [name for name, scores in people.items() if any(field in one for one in scores.values())]
    given = [judged, *(people[name] for name in raters)]
    shared = [name for name in judged if all(field in scores.get(name, {}) for scores in given)]
    if not raters or not shared:
        return None
    columns = [_column(field, shared, scores) for scores in given]
    resampling = Resampling(shared)
    mean = np.mean(columns[1:], axis=0)
    return FieldAgreement(
        n=len(shared),
        raters=tuple(raters),
        judge=agreement(resampling, [(columns[0], mean)]),
        humans=among_raters(resampling, columns[1:]),
    )


def _column(field: str, names: Sequence[str], scores: Scores) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([scores[name][field] for name in names])


def _number(value: Mapping[str, Any]) -> float | None:
    """Of stars, a number, or Yes and No; None for a text."""
    for kind in ("rating", "number"):
        if isinstance(value.get(kind), int | float):
            return float(value[kind])
    choices: Iterable[Any] = value.get("choices") or ()
    return next((float(choice == YES) for choice in choices), None)


def _rater(completed_by: int | dict[str, Any] | None) -> str:
    """Label Studio gives the number of a person, or more about one; names and addresses are left behind."""
    number = completed_by.get("id") if isinstance(completed_by, dict) else completed_by
    return f"person {number}" if number is not None else "person"
