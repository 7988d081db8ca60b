"""Experiments on answers: besides what requests can vary, who judges, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import Field

from core.errors import InvalidInput, UnknownName
from eval.actors.answers import LEFT_OUT
from eval.answers.judging.chosen import ChosenJudge
from eval.setups.experiment import Experiment, ExperimentFile


class AnswersExperiment(Experiment):
    """The content of an experiment file on answers."""

    judges: tuple[ChosenJudge, ...] = Field(
        default=(), description="Judges, as NAME or NAME@MODEL, or with judge, model, samples and reference."
    )
    without: tuple[str, ...] = Field(
        default=(), description="Fields of the question, or passages: each combination is also measured without each."
    )


def check_names(file: ExperimentFile[AnswersExperiment]) -> None:
    """Raises `InvalidInput` naming the line of an unknown judge or field."""
    _check_each(file, "judges", file.experiment.judges, ChosenJudge.made)
    _check_each(file, "without", file.experiment.without, check_field)


def check_field(name: str) -> None:
    """Raises `UnknownName` for what cannot be left out."""
    if name not in LEFT_OUT:
        raise UnknownName("field to leave out", name, LEFT_OUT)


def _check_each(file: ExperimentFile[Any], part: str, values: Iterable[Any], check: Callable[[Any], object]) -> None:
    for number, value in enumerate(values):
        try:
            check(value)
        except InvalidInput as error:
            raise InvalidInput(f"{file.file.location(part, number)}: {error}") from error
