"""The limits that a judge has to keep under attack, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from core.types import Value
from core.yaml_file import read_yaml

SHIPPED = Path(__file__).with_name("limits.yaml")


class AttackLimit(Value):
    """The least AUC, the greatest share accepted, or both."""

    auc: float | None = Field(default=None, ge=0, le=1)
    accepted: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _any(self) -> Self:
        if self.auc is None and self.accepted is None:
            raise ValueError("a limit is auc, accepted or both")
        return self

    def allows(self, auc: float | None, accepted: float) -> bool:
        """Whether both figures keep the limit; an AUC that could not be measured does not."""
        keeps_auc = self.auc is None or (auc is not None and auc >= self.auc)
        return keeps_auc and (self.accepted is None or accepted <= self.accepted)

    @property
    def spelling(self) -> str:
        """As a table shows it."""
        parts = {"AUC ≥": self.auc, "accepted ≤": self.accepted}
        return ", ".join(f"{name} {value:g}" for name, value in parts.items() if value is not None)


class AttackLimits(Value):
    """The content of the file. Shares are of the judge's range. An attack without a limit is not made."""

    good: float = Field(ge=0, le=1)
    accepted: float = Field(ge=0, le=1)
    min_items: int = Field(ge=1)
    max_items: int = Field(ge=1)
    max_shift: float = Field(ge=0, le=1)
    max_unscored: float = Field(default=1.0, ge=0, le=1)
    attacks: dict[str, AttackLimit]


def read_limits(path: Path = SHIPPED) -> AttackLimits:
    """Raises `InvalidInput` naming file and line of what cannot be used."""
    file = read_yaml(path, "limits", "good")
    try:
        return AttackLimits.model_validate(file.content)
    except ValidationError as error:
        raise file.invalid(error, AttackLimits) from error
