"""Describes the values that a JSON Schema allows, in words for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]

_NAMES = {"string": "text", "boolean": "true or false", "object": "mapping"}
_ARTICLES = {"integer": "an ", "number": "a ", "list": "a ", "mapping": "a ", "moment": "a "}


def in_words(schema: Schema, root: Schema) -> str:
    """The kind of value with its range, as in `integer from 1 to 50`; `root` is the document with the definitions."""
    schema = resolved(schema, root)
    if "anyOf" in schema:
        kinds = (in_words(kind, root) for kind in schema["anyOf"] if kind.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {in_words(schema.get('items', {}), root)}"
    if schema.get("format") == "date-time":
        return "moment"
    kind: str = schema.get("type", "object")
    return _NAMES.get(kind, kind) + _range(schema)


def with_article(schema: Schema, root: Schema) -> str:
    """The same with an article, for use in a sentence."""
    words = in_words(schema, root)
    return _ARTICLES.get(words.split()[0], "") + words


def resolved(schema: Schema, root: Schema) -> Schema:
    """The definition that the schema refers to, or the schema itself."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def keys_at(root: Schema, location: Iterable[int | str]) -> list[str]:
    """The keys allowed in the mapping at a location of the document; empty if any key is allowed."""
    schema = _single(root, root)
    for part in location:
        inner = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
        schema = _single(inner or schema.get("additionalProperties") or {}, root)
    names: Iterable[str] = resolved(schema.get("propertyNames", {}), root).get("enum", ())
    return list(schema.get("properties") or names)


def _single(schema: Schema, root: Schema) -> Schema:
    """The definition, or the one of several that is not null."""
    kinds = resolved(schema, root).get("anyOf", [schema])
    return resolved(next(kind for kind in kinds if kind.get("type") != "null"), root)


def _range(schema: Schema) -> str:
    low, high, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    if above is not None:
        return f" above {above:,}" + ("" if high is None else f" and up to {high:,}")
    if low is not None and high is not None:
        return f" from {low:,} to {high:,}"
    if low is not None:
        return f" of {low:,} or more"
    return "" if high is None else f" of {high:,} or less"
