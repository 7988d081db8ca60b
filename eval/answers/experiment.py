"""Experiments on answers: besides what requests can vary, who judges, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from math import prod
from typing import Annotated, Any

from pydantic import Field

from core.errors import InvalidInput, UnknownName
from core.llm.task import Instructions
from eval.actors.answers import LEFT_OUT
from eval.answers.judging.chosen import ChosenJudge
from eval.setups.experiment import Experiment, ExperimentFile
from pipelines.configuration import PROMPTS


class AnswersExperiment(Experiment):
    """The content of an experiment file on answers."""

    judges: tuple[ChosenJudge, ...] = Field(
        default=(), description="Judges, as NAME or NAME@MODEL, or with judge, model, samples and reference."
    )
    without: tuple[str, ...] = Field(
        default=(), description="Fields of the question, or passages: each combination is also measured without each."
    )
    prompts: dict[str, Annotated[list[str | None], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="Files with instructions by task, as in WriteAnswer; null is the task's own. Each combination is "
        "measured with each of them.",
    )

    @property
    def n_configurations(self) -> int:
        """Those of `vary`, under each combination of instructions, and once more without each field."""
        return super().n_configurations * prod(map(len, self.prompts.values())) * (1 + len(self.without))


def read_prompts(file: ExperimentFile[AnswersExperiment]) -> list[dict[str, Instructions]]:
    """Every combination of the experiment's instructions; those of a task's own are left out.

    Paths are relative to the experiment's file. Raises `InvalidInput` naming the line of what cannot be used.
    """
    tasks = {task.name() for task in PROMPTS}
    choices = []
    for task, paths in file.experiment.prompts.items():
        if task not in tasks:
            raise InvalidInput(f"{file.file.location('prompts', task)}: {UnknownName('task', task, sorted(tasks))}")
        read = [_read_prompt(file, task, number, path) for number, path in enumerate(paths)]
        choices.append([(task, given) for given in read])
    return [{task: given for task, given in chosen if given is not None} for chosen in product(*choices)]


def _read_prompt(file: ExperimentFile[Any], task: str, number: int, path: str | None) -> Instructions | None:
    if path is None:
        return None
    try:
        text = (file.file.path.parent / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{file.file.location('prompts', task, number)}: {path} cannot be read as text: {error}. Correct the path."
        ) from error
    if not text.strip():
        raise InvalidInput(f"{file.file.location('prompts', task, number)}: {path} is empty. Write instructions.")
    return Instructions(name=path, text=text)


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
