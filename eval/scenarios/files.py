"""Parts of a scenario's file as they are written, with errors that name their lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import InvalidInput, UnknownName
from core.yaml_file import read_yaml
from eval.scenarios.scenario import CourseChoices, Dialect
from eval.scenarios.turns import InvalidDirection, TurnOrder, read_turns

ENCODINGS = ("utf-8", "gb18030")
"""Upstream reads files in the second as well, of which GBK is a part."""
MAX_TASKS = 100_000
Location = tuple[int | str, ...]
P = TypeVar("P", bound="Part")


class Part(BaseModel):
    """A part of a file as it is written. Unknown keys are kept, and reported."""

    model_config = ConfigDict(extra="allow", frozen=True, coerce_numbers_to_str=True)


class AgentPart(Part):
    """An agent of either dialect. One of type `edumod` has a course, and no model of the file."""

    type: Literal["model", "edumod"] = "model"
    model: str | None = None
    course: str | None = None
    pipeline: str | None = None
    retriever: str | None = None


def dialect_of(content: Mapping[str, Any]) -> Dialect:
    """By the keys that only one of the dialects has."""
    evaluation, models, agents = (_mapping(content.get(key)) for key in ("evaluation", "models", "agents"))
    is_new = (
        "judge_model" in evaluation
        or "fields" in evaluation
        or "output_dir" in _mapping(content.get("globals"))
        or "mcps" in content
        or any("base_url" in _mapping(model) for model in models.values())
        or any("system_prompt" in _mapping(agent) for agent in agents.values())
    )
    return Dialect.V1_0 if is_new else Dialect.V0_1


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


class ScenarioFile:
    """A file being read: its parts, and errors that name their lines."""

    def __init__(self, path: Path, output: Path | None = None) -> None:
        """`output` replaces the folder for results that the file names. Raises `InvalidInput` naming file and line."""
        self._file = read_yaml(path, "scenario", "globals", encodings=ENCODINGS, last_document=True)
        self._output = output
        self.path = path
        self.digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()

    @property
    def dialect(self) -> Dialect:
        return dialect_of(self._file.content)

    def read(self, kind: type[P]) -> P:
        """The whole file as that part. Raises `InvalidInput`."""
        try:
            return kind.model_validate(self._file.content)
        except ValidationError as error:
            raise self._file.invalid(error) from error

    def wrong(self, problem: str, *location: int | str) -> InvalidInput:
        where = ".".join(str(part) for part in location)
        return InvalidInput(f"{self._file.location(*location)}: {where}: {problem.removesuffix('.')}.")

    def ignored(self, part: Part) -> tuple[str, ...]:
        """A remark for each key that is not read."""
        return tuple(
            f"{self._file.location(*location)}: {'.'.join(map(str, location))} is no known key and is ignored."
            for location in _ignored(part, ())
        )

    def name(self, name: str, *location: int | str) -> str:
        """A name that can be used as a file's name. Raises `InvalidInput` if it is none."""
        if not name.strip(".") or name != Path(name).name or "\\" in name or "\0" in name:
            raise self.wrong(f"{name!r} cannot name a file: leave out slashes and leading dots", *location)
        return name

    def output(self, folder: str | None, *location: int | str) -> Path | None:
        """A folder for results, in the current folder or beside the file. Raises `InvalidInput` for any other."""
        if self._output is not None or folder is None:
            return self._output
        path = Path(folder)
        allowed = (Path.cwd(), self.path.parent)
        if not any(path.resolve().is_relative_to(root.resolve()) for root in allowed):
            raise self.wrong(f"{folder} is outside the current folder; name it with --output to allow it", *location)
        return path

    def choices(self, name: str, agent: AgentPart) -> CourseChoices | None:
        """What an agent of type `edumod` has chosen, None for any other. Raises `InvalidInput` for a missing key."""
        needed = "course" if agent.type == "edumod" else "model"
        if getattr(agent, needed) is None:
            raise self.wrong(f"an agent of type {agent.type} needs a {needed}", "agents", name)
        if agent.type == "model" or agent.course is None:
            return None
        return CourseChoices(course=agent.course, pipeline=agent.pipeline, retriever=agent.retriever, model=agent.model)

    def check_model(self, name: str, models: Mapping[str, Any], *location: int | str) -> None:
        """Raises `InvalidInput` unless the file has that model."""
        if name not in models:
            raise self.wrong(str(UnknownName("model", name, models)), *location)

    def turns(self, directions: Sequence[str], agents: Mapping[str, Any]) -> TurnOrder:
        try:
            return read_turns(directions, agents)
        except InvalidDirection as error:
            at = () if error.number is None else (error.number,)
            raise self.wrong(str(error), "directions", *at) from None

    def tasks(self, mode: str, content: Any) -> tuple[dict[str, Any], ...]:
        """Combinations of values (`union`), or the list as it stands (`iter`). Raises `InvalidInput`."""
        if mode.lower() == "union":
            return self._combined(content)
        if mode.lower() == "iter":
            return self._listed(content)
        raise self.wrong(f"mode is `union` or `iter`, not {mode!r}", "tasks", "mode")

    def _combined(self, content: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(content, dict):
            raise self.wrong("with mode `union`, content is a mapping of variables to lists", "tasks", "content")
        size = 1
        for name, values in content.items():
            if not isinstance(values, list) or not values:
                raise self.wrong("with mode `union`, a variable has a list of values", "tasks", "content", name)
            for number, value in enumerate(values):
                self._check_value(value, "tasks", "content", name, number)
            size *= len(values)
        self._check_size(size)
        return tuple(dict(zip(content, values, strict=True)) for values in product(*content.values()))

    def _listed(self, content: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(content, list) or not all(isinstance(task, dict) for task in content):
            raise self.wrong("with mode `iter`, content is a list of mappings", "tasks", "content")
        self._check_size(len(content))
        for number, task in enumerate(content):
            for name, value in task.items():
                self._check_value(value, "tasks", "content", number, name)
        return tuple(content)

    def _check_value(self, value: Any, *location: int | str) -> None:
        if isinstance(value, dict | list):
            raise self.wrong("a value is a text, a number, true, false or null; put it in quotes", *location)

    def _check_size(self, size: int) -> None:
        if not 0 < size <= MAX_TASKS:
            raise self.wrong(f"it makes {size:,} tasks; there must be 1 to {MAX_TASKS:,}", "tasks", "content")


def _ignored(part: Any, location: Location) -> Iterator[Location]:
    if isinstance(part, BaseModel):
        yield from ((*location, key) for key in part.model_extra or ())
        for name, value in part:
            if name not in (part.model_extra or ()):
                yield from _ignored(value, (*location, name))
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from _ignored(value, (*location, key))
    elif isinstance(part, list | tuple):
        for number, value in enumerate(part):
            yield from _ignored(value, (*location, number))
