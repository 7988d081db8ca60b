"""JSON Schemas in the strict dialect that servers accept for structured output."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = frozenset({"$ref", "$defs", "type", "enum", "anyOf", "items", "properties", "description"})
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "above {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching {}",
}


@cache
def strict_schema(model: type[BaseModel]) -> Schema:
    """The model's schema with every property required, no others allowed, and only keywords known to strict mode.

    Bounds, which not every server enforces, are described in words; pydantic checks them afterwards. Raises `TypeError`
    for what strict mode cannot express: mappings with free keys, and tuples of mixed types.
    """
    schema = model.model_json_schema()
    if "$ref" in schema:
        # A recursive model; strict mode requires the object itself at the top.
        name = schema["$ref"].rpartition("/")[2]
        schema = {**schema["$defs"][name], "$defs": schema["$defs"]}
    return _strict(schema, model.__name__)


def _strict(node: Schema, path: str) -> Schema:
    if "$ref" in node:
        # Strict mode allows nothing beside a reference.
        return {"$ref": node["$ref"]}
    strict = {key: value for key, value in node.items() if key in _KEPT}
    if "const" in node:
        strict["enum"] = [node["const"]]
    if choices := node.get("anyOf") or node.get("oneOf"):
        strict["anyOf"] = [_strict(choice, path) for choice in choices]
    if "$defs" in node:
        strict["$defs"] = {name: _strict(definition, name) for name, definition in node["$defs"].items()}
    if node.get("type") == "array":
        strict["items"] = _strict(_items(node, path), path)
    if node.get("type") == "object":
        # A class is described for those who read the code.
        strict.pop("description", None)
        strict |= _object(node, path)
    if bounds := [text.format(node[key]) for key, text in _BOUNDS.items() if key in node]:
        strict["description"] = f"{node.get('description', '')} ({', '.join(bounds)})".strip()
    return strict


def _items(node: Schema, path: str) -> Schema:
    if "prefixItems" in node or "items" not in node:
        raise TypeError(f"{path} has an array of mixed or unknown items. Give it one item type, as in tuple[str, ...].")
    items: Schema = node["items"]
    return items


def _object(node: Schema, path: str) -> Schema:
    if node.get("additionalProperties") or "properties" not in node:
        raise TypeError(f"{path} has an object with free keys. Use a model, or a tuple of models with a key field.")
    properties = {name: _strict(child, f"{path}.{name}") for name, child in node["properties"].items()}
    return {"properties": properties, "required": list(properties), "additionalProperties": False}
