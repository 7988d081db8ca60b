"""Reads JSON as models write it: in a fence, among words, encoded twice, with slips that leave one reading.

What has no single reading is left to be asked for again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import dirtyjson
from pydantic import BaseModel
from pydantic_core import from_json

JsonObject = dict[str, Any]
Schema = dict[str, Any]

MAX_STARTS = 40
"""Braces of a text from which an object is tried."""
MAX_LOOSE_STARTS = 3
"""Braces from which an object with slips is tried, which is slower."""
MAX_ENCODINGS = 3
_TOKEN = re.compile(
    r"""("(?:[^"\\]|\\.?)*+(?:"|\Z)|'(?:[^'\\]|\\.?)*+(?:'|\Z))|\b(True|False|None)\b""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"""\\(?:(["'\\/bfnrt]|u[0-9a-fA-F]{4})|)""")
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_SEPARATORS = re.compile(r"[\s-]+")


def objects_in(text: str) -> list[JsonObject]:
    """The outermost objects in a text, in order; without a well-formed one, those with slips."""
    for _ in range(MAX_ENCODINGS):
        try:
            value = from_json(text)
        except ValueError:
            break
        if not isinstance(value, str):
            break
        text = value
    strict = list(_objects(text, MAX_STARTS, _decoded))
    return strict or list(_objects(text, MAX_LOOSE_STARTS, _decoded_loosely))


def object_in(text: str) -> JsonObject | None:
    """The one object in a text; None if there is none, or several that differ."""
    found = objects_in(text)
    return found[0] if found and all(other == found[0] for other in found) else None


@cache
def schema_of(kind: type[BaseModel]) -> Schema:
    """The schema by which a reply is read, in which what may be left out is not required."""
    return kind.model_json_schema()


def fitted(value: Any, schema: Schema, root: Schema | None = None) -> Any:
    """The value with what a schema leaves one reading for put right; the rest stays, for validation to refuse.

    Names and choices may differ in letter case and separators. Fields that the schema forbids are dropped, and so is
    null where a field may be left out. A list may be one item, a whole number or truth value a text, and any value may
    be JSON in a text.
    """
    root = root or schema
    schema = _resolved(schema, root)
    if "enum" in schema and isinstance(value, str):
        return _choice(value, schema["enum"])
    kind = schema.get("type")
    if kind in ("object", "array", "integer", "boolean") and isinstance(value, str):
        value = _unquoted(value)
    if kind == "object" and isinstance(value, dict) and "properties" in schema:
        return _fitted_object(value, schema, root)
    if kind == "array" and value is not None:
        return [fitted(item, schema.get("items", {}), root) for item in (value if isinstance(value, list) else [value])]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _decoded(text: str, start: int) -> tuple[Any, int]:
    return json.JSONDecoder(strict=False).raw_decode(text, start)


def _decoded_loosely(text: str, start: int) -> tuple[Any, int]:
    # Its end is unknown, so that whatever follows is not looked at.
    return dirtyjson.loads(_TOKEN.sub(_tidied, text[start:])), len(text)


def _tidied(token: re.Match[str]) -> str:
    """A string with the backslashes escaped that begin no escape; a constant of Python as one of JSON."""
    if token[2]:
        return _PYTHON[token[2]]
    return _ESCAPE.sub(lambda escape: escape[0] if escape[1] else r"\\", token[1])


def _objects(text: str, max_starts: int, decode: Any) -> Iterator[JsonObject]:
    start = text.find("{")
    for _ in range(max_starts):
        if start < 0:
            return
        try:
            value, end = decode(text, start)
            # Deep nesting and half a character, which Python reads, are refused.
            value = from_json(json.dumps(value))
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value
        start = text.find("{", end)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema that is referred to, or the only one besides null."""
    if reference := schema.get("$ref"):
        return _resolved(root.get("$defs", {}).get(reference.rpartition("/")[2], {}), root)
    choices = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    return _resolved(choices[0], root) if len(choices) == 1 else schema


def _fitted_object(value: JsonObject, schema: Schema, root: Schema) -> JsonObject:
    properties: dict[str, Schema] = schema["properties"]
    names = {_spelling(name): name for name in properties}
    named = {names[_spelling(key)]: part for key, part in value.items() if _spelling(key) in names}
    named |= {key: part for key, part in value.items() if key in properties}
    inner = [part for part in value.values() if isinstance(part, dict)]
    if not named and len(inner) == 1:
        # In a wrapper: {"WrittenAnswer": {...}}, {"name": ..., "arguments": {...}}.
        return _fitted_object(inner[0], schema, root)
    if not named and value:
        return value
    required = schema.get("required", ())
    others = {} if schema.get("additionalProperties") is False else value
    unnamed = {key: part for key, part in others.items() if _spelling(key) not in names}
    return unnamed | {
        name: fitted(part, properties[name], root)
        for name, part in named.items()
        if part is not None or name in required or _takes_null(properties[name])
    }


def _takes_null(schema: Schema) -> bool:
    return schema.get("type") == "null" or any(_takes_null(one) for one in schema.get("anyOf", ()))


def _choice(value: str, choices: list[Any]) -> Any:
    spelt = [one for one in choices if isinstance(one, str) and _spelling(one) == _spelling(value)]
    return spelt[0] if len(spelt) == 1 and value not in choices else value


def _unquoted(value: str) -> Any:
    """What a text says as JSON; the text itself if it says nothing but a text."""
    try:
        return from_json(value.strip().lower() if value.strip().lower() in ("true", "false") else value.strip())
    except ValueError:
        return value


def _spelling(name: str) -> str:
    return _SEPARATORS.sub("_", name.strip()).casefold()
