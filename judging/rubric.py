"""Rubrics: what a judge is told, as a file. Its version follows from its content."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from core.llm.task import Instructions
from core.types import Value
from core.yaml_file import read_yaml
from judging.answers import Scale

FOLDER = Path(__file__).with_name("rubrics")


class Criterion(Scale):
    """One thing that is scored, on a scale of its own.

    `labels` are the one-word verdicts with their scores; without any, they are the whole numbers of the scale.
    """

    name: str
    labels: dict[str, float] = Field(default_factory=dict)

    @property
    def verdicts(self) -> dict[str, float]:
        """The score of each one-word verdict."""
        return self.labels or {str(score): float(score) for score in range(int(self.min), int(self.max) + 1)}

    @property
    def question(self) -> str:
        """Asks for a verdict in one word."""
        return f"Reply with your verdict on {self.name} alone, which is one of: {', '.join(self.verdicts)}."


class Rubric(Value):
    """The content of a rubric's file. `acceptable` is the score from which an answer may be shown to a student."""

    name: str
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    acceptable: float | None = None
    instructions: str

    @property
    def given(self) -> Instructions:
        """What a task is given."""
        return Instructions(name=self.name, text=self.instructions)


def read_rubric(path: Path) -> Rubric:
    """The rubric in a file. Raises `InvalidInput` naming file and line of what cannot be used."""
    file = read_yaml(path, "rubric", "name")
    try:
        return Rubric.model_validate(file.content)
    except ValidationError as error:
        raise file.invalid(error, Rubric) from error


@cache
def shipped_rubric(name: str) -> Rubric:
    """The rubric that comes with EduMod."""
    return read_rubric(FOLDER / f"{name}.yaml")
