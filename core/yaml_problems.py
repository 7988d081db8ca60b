"""Describes validation errors of a YAML file in words for its author."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import UnknownName
from core.schema_words import Schema, keys_at

_LIST = "must be a list: each entry on a line of its own, after `- `"
_MAPPING = "must be a mapping: lines of `key: value`, indented"

_WORDS: dict[str, str] = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "string_type": "must be text: put it in quotes",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}

Problem = Mapping[str, Any]
"""One of the errors of a pydantic `ValidationError`."""


def location_of(problem: Problem) -> tuple[int | str, ...]:
    """The location of the error, without the `[key]` that pydantic appends for an invalid key."""
    location: tuple[int | str, ...] = problem["loc"]
    return location[:-1] if location and location[-1] == "[key]" else location


def in_words(problem: Problem, schema: Schema) -> str:
    """The error in words, without a full stop; `schema` lists the allowed keys."""
    location, kind = location_of(problem), problem["type"]
    if kind == "extra_forbidden" or location != problem["loc"]:
        keys = keys_at(schema, location[:-1])
        return str(UnknownName("key", str(location[-1]), keys)).removesuffix(".") if keys else "there is no such key"
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    return _WORDS.get(kind, str(problem["msg"]))
