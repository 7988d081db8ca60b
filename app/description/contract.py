"""What clients of `/v1` may rely on, as lines of text (decision 0030)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

REFERENCE = "#/components/schemas/"
_COMPONENT = re.compile(rf"'{REFERENCE}(\w+)'")


def contract(schema: dict[str, Any]) -> list[str]:
    """A line for each operation, parameter, status, field and enum value; not for descriptions, limits and defaults."""
    lines: dict[str, None] = {}
    asked: set[str] = set()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            lines |= dict.fromkeys(_of_operation(f"{method.upper()} {path}", operation))
            asked |= _components(operation.get("requestBody"), schema)
    for name, component in schema["components"]["schemas"].items():
        lines |= dict.fromkeys(_of_component(name, component, is_asked=name in asked))
    return sorted(lines)


def missing_lines(promised: Iterable[str], schema: dict[str, Any]) -> list[str]:
    """The promised lines that the document does not have any more."""
    return sorted(set(promised) - set(contract(schema)))


def _components(value: Any, schema: dict[str, Any]) -> set[str]:
    names: set[str] = set()
    waiting = set(_COMPONENT.findall(str(value)))
    while waiting:
        name = waiting.pop()
        names.add(name)
        waiting |= set(_COMPONENT.findall(str(schema["components"]["schemas"][name]))) - names
    return names


def _of_operation(name: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"{name} is {operation['operationId']}"
    given = operation.get("parameters", ())
    yield f"{name} needs {[one['name'] for one in given if one.get('required')]}"
    for parameter in given:
        yield from _of_value(f"{name} takes {parameter['in']} {parameter['name']}", parameter["schema"])
    yield from _of_content(f"{name} takes", operation.get("requestBody", {}))
    for status, response in operation["responses"].items():
        yield from _of_content(f"{name} gives {status}", response)


def _of_content(name: str, body: dict[str, Any]) -> Iterator[str]:
    for media_type, content in body.get("content", {}).items():
        yield from _of_value(f"{name} {media_type}", content.get("schema", {}))


def _of_component(name: str, component: dict[str, Any], *, is_asked: bool) -> Iterator[str]:
    """The component's fields. A request may not come to need more, a response may not come to have less."""
    yield from _of_value(name, component)
    required = sorted(component.get("required", ()))
    if is_asked:
        yield f"{name} needs {required}"
    else:
        yield from (f"{name} always has {field}" for field in required)


def _of_value(name: str, value: dict[str, Any]) -> Iterator[str]:
    options = [one for key in ("anyOf", "oneOf", "allOf") for one in value.get(key, ())]
    for option in options:
        yield from _of_value(name, option)
    if not options:
        yield f"{name}: {value.get('$ref', '').removeprefix(REFERENCE) or value.get('type', 'any')}"
    constants = [value["const"]] if "const" in value else value.get("enum", ())
    yield from (f"{name} = {constant}" for constant in constants)
    for field, inner in value.get("properties", {}).items():
        yield from _of_value(f"{name}.{field}", inner)
    if isinstance(items := value.get("items"), dict):
        yield from _of_value(f"{name}[]", items)
