"""Parameters of a request, and a course's values for those that are left out."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import (
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import PydanticCustomError

from core.schema_words import with_article
from core.types import Value


class Choices(Value):
    """Request parameters common to all pipelines. The course's defaults replace those that are left out."""

    pipeline: str | None = Field(default=None, description="A name or alias from `GET /pipelines`.")
    retriever: str | None = Field(default=None, description="A name from `GET /retrievers`, for every function.")
    model: str | None = Field(default=None, description="One of the models this installation allows.")
    top_k: int | None = Field(default=None, ge=1, le=50, description="Passages per function call.")
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="Sampling temperature; null is the model's default."
    )
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1, description="Sampling seed, if the model supports one.")
    beam: int | None = Field(default=None, ge=1, le=10, description="Beam width of a retriever that descends a tree.")
    depth: int | None = Field(
        default=None, ge=1, le=20, description="Maximum rounds of model calls of a retriever that descends a tree."
    )

    @field_validator("*", mode="wrap")
    @classmethod
    def _fits(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Replaces pydantic's message by one sentence with the allowed range and the value given."""
        try:
            return handler(value)
        except ValidationError:
            kind = _kinds(cls)[info.field_name or ""]
            said = {"kind": kind, "given": _short(repr(value))}
            raise PydanticCustomError("unfit", "must be {kind}, not {given}", said) from None


@cache
def _kinds(choices: type[Choices]) -> dict[str, str]:
    """The allowed values of each field, in words."""
    schema = choices.model_json_schema(by_alias=False)
    return {name: with_article(field, schema) for name, field in schema["properties"].items()}


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"


class Defaults(Choices):
    """Values of request parameters that are left out.

    Also accepts `retriever.SOURCE`, the retriever of one course function, and the parameters of pipelines by name.
    """

    model_config = ConfigDict(extra="allow")

    pipeline: str = Field(default="fc", description="A name or alias from `GET /pipelines`.")
    retriever: str = Field(default="tree", description="A name from `GET /retrievers`, for every function.")
    top_k: int = Field(default=5, ge=1, le=50, description="Passages per function call.")
