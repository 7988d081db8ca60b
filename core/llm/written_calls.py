"""Finds function calls that a model wrote into its text instead of sending them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from core.llm.completion import Call, Function
from core.llm.loose_json import JsonObject, object_in, objects_in
from core.types import FunctionSpec

MAX_CHARS = 50_000
"""Characters of a text in which calls are looked for."""
MAX_NAMED = 32
"""Mentions of a function behind which arguments are looked for."""
_BEFORE_ARGUMENTS = re.compile(r"\W{0,40}(?:json\s*|arguments\W{1,5}|parameters\W{1,5})?(?=\{)")
_PYTHON_CALL = re.compile(r"\((?:[^()\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*\)")
_MARKUP = re.compile(r"<\W?function|tool.?calls?\b[>\]\"|]|python_tag|function_call\b", re.IGNORECASE)
_ARGUMENTS = {"arguments", "parameters", "args", "action_input", "input"}


def offered_name(name: str, functions: Sequence[FunctionSpec]) -> str:
    """The offered function that a name means: `functions.NAME`, other letter case, hyphens; else the name itself."""
    names = {spec.name for spec in functions}
    if name in names:
        return name
    spelt = name.casefold().replace("-", "_")
    meant = [own for own in names if re.search(rf"\b{re.escape(own.casefold())}\b", spelt)]
    return meant[0] if len(meant) == 1 else name


def written_calls(text: str, functions: Sequence[FunctionSpec]) -> list[Call]:
    """The calls of offered functions in a text whose arguments can be read, in order."""
    names = [spec.name for spec in functions]
    text = text[:MAX_CHARS]
    in_objects = [call for value in objects_in(text) for call in _calls_in(value, functions)]
    return in_objects or [call for name in names for call in _calls_by_name(text, name)]


def attempts_call(text: str, functions: Sequence[FunctionSpec]) -> bool:
    """True if a text looks like a call, whether or not it can be read."""
    text = text[:MAX_CHARS]
    names = "|".join(re.escape(spec.name) for spec in functions)
    if not names:
        return False
    is_named = re.search(rf"\b(?:{names})\b[\"'`]?\s*[({{>]", text)
    return bool(is_named or _MARKUP.search(text) or any(_looks_like_call(one) for one in objects_in(text)))


def _calls_in(value: Any, functions: Sequence[FunctionSpec]) -> Iterator[Call]:
    """The calls in a decoded value, however they are wrapped."""
    if isinstance(value, list):
        for item in value:
            yield from _calls_in(item, functions)
        return
    if not isinstance(value, dict):
        return
    names = {spec.name for spec in functions}
    texts = {key: offered_name(part, functions) for key, part in value.items() if isinstance(part, str)}
    named = {key: name for key, name in texts.items() if name in names and key not in _ARGUMENTS}
    if len(named) == 1:
        ((key, name),) = named.items()
        properties = next(spec for spec in functions if spec.name == name).parameters.get("properties", {})
        if (arguments := _arguments_in(value, key, properties)) is not None:
            yield _call(name, arguments)
        return
    for key, part in value.items():
        if key in names and isinstance(part, dict):
            yield _call(key, part)
        else:
            yield from _calls_in(part, functions)


def _arguments_in(value: JsonObject, named_by: str, properties: JsonObject) -> JsonObject | None:
    """The object beside a function's name, or what else its own object holds of the function's arguments."""
    others = {key: part for key, part in value.items() if key != named_by}
    objects = [one for one in map(_as_object, others.values()) if one is not None]
    if objects:
        return objects[0] if len(objects) == 1 else None
    return {key: part for key, part in others.items() if key in properties} or None


def _as_object(part: Any) -> JsonObject | None:
    if isinstance(part, dict):
        return part
    return object_in(part) if isinstance(part, str) and part.lstrip().startswith(("{", '"{')) else None


def _calls_by_name(text: str, name: str) -> Iterator[Call]:
    """`name {...}`, `<function=name>{...}`, `name(key="...")`."""
    for match in islice(re.finditer(rf"\b{re.escape(name)}\b", text), MAX_NAMED):
        rest = text[match.end() :]
        if opening := _BEFORE_ARGUMENTS.match(rest):
            if found := objects_in(rest[opening.end() :]):
                yield _call(name, found[0])
        elif (python := _PYTHON_CALL.match(rest)) and (arguments := _keywords(python[0])) is not None:
            yield _call(name, arguments)


def _keywords(parenthesis: str) -> JsonObject | None:
    try:
        call = ast.parse(f"f{parenthesis}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            return None
        return {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
    except (SyntaxError, ValueError):
        return None


def _looks_like_call(value: JsonObject) -> bool:
    return bool(_ARGUMENTS & value.keys()) and any(isinstance(part, str) for part in value.values())


def _call(name: str, arguments: JsonObject) -> Call:
    return Call(function=Function(name=name, arguments=arguments))
