from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from core.llm.schema import strict_schema


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(BaseModel):
    kind: Literal["leaf"] = "leaf"
    size: Annotated[int, Field(ge=0, lt=10, description="Its size.")] = 1


class Branch(BaseModel):
    kind: Literal["branch"]
    children: tuple[Branch | Leaf, ...] = Field(default=(), max_length=3)


class Tree(BaseModel):
    root: Annotated[Branch | Leaf, Field(discriminator="kind")]
    colour: Colour = Colour.RED
    note: str | None = None


def nodes(schema: Any) -> list[dict[str, Any]]:
    found = [schema] if isinstance(schema, dict) else []
    children = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return found + [node for child in children for node in nodes(child)]


def test_every_object_requires_all_its_properties_and_allows_no_others() -> None:
    objects = [node for node in nodes(strict_schema(Tree)) if node.get("type") == "object"]
    assert len(objects) == 3
    for node in objects:
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False


def test_only_keywords_of_strict_mode_are_left() -> None:
    unknown = {"default", "title", "oneOf", "const", "discriminator", "minimum", "exclusiveMaximum", "maxItems"}
    assert not [node for node in nodes(strict_schema(Tree)) if unknown & set(node)]


def test_bounds_are_in_the_description() -> None:
    definitions = strict_schema(Tree)["$defs"]
    assert definitions["Leaf"]["properties"]["size"]["description"] == "Its size. (at least 0, below 10)"
    assert "at most 3 items" in definitions["Branch"]["properties"]["children"]["description"]


def test_a_model_that_contains_itself_has_an_object_at_the_top() -> None:
    schema = strict_schema(Branch)
    assert schema["type"] == "object"
    assert "Branch" in schema["$defs"]


def test_what_strict_mode_cannot_express_is_a_mistake_of_the_task() -> None:
    class Free(BaseModel):
        scores: dict[str, int]

    class Mixed(BaseModel):
        pair: tuple[int, str]

    for model in (Free, Mixed):
        with pytest.raises(TypeError, match=model.__name__):
            strict_schema(model)
