"""Experiments in YAML, which vary parameters of requests; each combination is measured as an actor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field, ValidationError

from core.course import CourseId
from core.errors import InvalidInput, UnknownName
from core.types import Value
from core.validation import messages_in
from core.yaml_file import YamlFile, read_yaml
from pipelines.configuration import NAMES, Configuration, pipeline_parameters

MAX_COMBINATIONS = 200
"""More are probably a mistake, since each combination is asked every question under every seed."""

Resolve = Callable[[Mapping[str, Any]], Configuration]
"""Choices by name -> the course's configuration with them. Raises `InvalidInput` or pydantic's `ValidationError`."""
Location = tuple[int | str, ...]
"""Keys and list positions that lead to a value of the file."""


class Experiment(Value):
    """The content of an experiment file. Names are in `pipelines.configuration.NAMES`; null is the course's default."""

    course: CourseId
    split: str = Field(default="test", description="Split of the labelled questions, or `all`.")
    seeds: int = Field(
        default=1, ge=1, le=100, description="Seeds under which each question is asked, from `seed` or 0 on."
    )
    base: dict[str, Any] = Field(default_factory=dict, description="Choices that all combinations share.")
    vary: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(
        min_length=1, description="Values by name; each combination of them is measured."
    )
    actors: tuple[str, ...] = Field(
        default=(), description="Further actors, as for `--actor`; files relative to this one."
    )
    metrics: tuple[str, ...] = Field(default=(), description="Further metrics, as for `--metric`.")

    @property
    def n_configurations(self) -> int:
        """How many configurations are measured, before equal ones are left out."""
        return prod(len(values) for values in self.vary.values())


E = TypeVar("E", bound=Experiment, covariant=True)


@dataclass(frozen=True)
class ExperimentFile(Generic[E]):
    """A valid experiment, with the location of each parameter in its file."""

    experiment: E
    file: YamlFile

    def configurations(self, resolve: Resolve) -> dict[str, Configuration]:
        """Each combination, named by what varies in it, as in `pipeline=fc retriever=tree`.

        Parameters that the combination's pipeline lacks are left out of the name, so that combinations which differ
        only in them are measured once. Raises `InvalidInput` naming the file and the line of an invalid value.
        """
        for location, name, value in self._choices():
            self._resolved(resolve, {name: value}, location)
        found = {}
        for values in product(*self.experiment.vary.values()):
            varied = dict(zip(self.experiment.vary, values, strict=True))
            configuration = self._resolved(resolve, {**self.experiment.base, **varied}, ("vary",))
            found[_named(varied, configuration)] = configuration
        return found

    def _choices(self) -> Iterator[tuple[Location, str, Any]]:
        for name, value in self.experiment.base.items():
            yield ("base", name), name, value
        for name, values in self.experiment.vary.items():
            for number, value in enumerate(values):
                yield ("vary", name, number), name, value

    def _resolved(self, resolve: Resolve, choices: Mapping[str, Any], location: Location) -> Configuration:
        where = f"{self.file.location(*location)}: {'.'.join(map(str, location[:2]))}"
        try:
            return resolve(choices)
        except ValidationError as error:
            raise InvalidInput(f"{where}: {messages_in(error)}.") from error
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from error


def read_experiment(path: Path, model: type[E]) -> ExperimentFile[E]:
    """Read and validate an experiment file. Raises `InvalidInput` naming file, line and what to correct."""
    file = read_yaml(path, "experiment", "course")
    try:
        experiment = model.model_validate(file.content)
    except ValidationError as error:
        raise file.invalid(error, model) from error
    for part in ("base", "vary"):
        for name in getattr(experiment, part):
            _check_name(name, file.location(part, name))
    if twice := experiment.base.keys() & experiment.vary.keys():
        name = min(twice)
        raise InvalidInput(f"{file.location('vary', name)}: {name} is also set under base. Keep one of them.")
    if (size := experiment.n_configurations) > MAX_COMBINATIONS:
        raise InvalidInput(
            f"{file.location('vary')}: that makes {size:,} combinations; at most {MAX_COMBINATIONS} are allowed. "
            "Vary fewer parameters, or split the experiment."
        )
    return ExperimentFile(experiment, file)


def _check_name(name: str, location: str) -> None:
    if name not in NAMES:
        raise InvalidInput(f"{location}: {UnknownName('parameter', name, NAMES)}")


def _named(varied: Mapping[str, Any], configuration: Configuration) -> str:
    absent = pipeline_parameters().model_fields.keys() - configuration.parameters.keys()
    shown = {name: "default" if value is None else value for name, value in varied.items() if name not in absent}
    return " ".join(f"{name}={value}" for name, value in shown.items()) or f"pipeline={configuration.pipeline}"
