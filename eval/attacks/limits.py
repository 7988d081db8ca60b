"""The limits that a judge has to keep under attack, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from core.types import Value
from core.yaml_file import read_yaml

SHIPPED = Path(__file__).with_name("limits.yaml")


class Limit(Value):
    """Either the least AUC or the greatest share accepted."""

    auc: float | None = Field(default=None, ge=0, le=1)
    accepted: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.auc is None) == (self.accepted is None):
            raise ValueError("a limit is either auc or accepted")
        return self


class Limits(Value):
    """The content of the file. Shares are of the judge's range."""

    good: float = Field(ge=0, le=1)
    accepted: float = Field(ge=0, le=1)
    min_items: int = Field(ge=1)
    max_items: int = Field(ge=1)
    max_shift: float = Field(ge=0, le=1)
    attacks: dict[str, Limit]


def read_limits(path: Path = SHIPPED) -> Limits:
    """Raises `InvalidInput` naming file and line of what cannot be used."""
    file = read_yaml(path, "limits", "good")
    try:
        return Limits.model_validate(file.content)
    except ValidationError as error:
        raise file.invalid(error, Limits) from error
