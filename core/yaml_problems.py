"""What is wrong with a part of a YAML file, in the words of whoever writes one."""

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


def place_of(problem: Problem) -> tuple[int | str, ...]:
    """Where it is. Of a key that is no good, pydantic's place ends with a part that no file has."""
    place: tuple[int | str, ...] = problem["loc"]
    return place[:-1] if place and place[-1] == "[key]" else place


def in_words(problem: Problem, schema: Schema) -> str:
    """What is wrong, without a full stop; `schema` tells which keys there are."""
    place, kind = place_of(problem), problem["type"]
    if kind == "extra_forbidden" or place != problem["loc"]:
        keys = keys_at(schema, place[:-1])
        return str(UnknownName("key", str(place[-1]), keys)).removesuffix(".") if keys else "there is no such key"
    if kind == "value_error":
        return str(problem["ctx"]["error"])
    return _WORDS.get(kind, str(problem["msg"]))
