"""Validates function calls that a model sends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.types import FunctionSpec


def call_problem(name: str, arguments: dict[str, Any], functions: Iterable[FunctionSpec]) -> str | None:
    """What is wrong with a call, in words for the model; None if it is valid."""
    specs = {spec.name: spec for spec in functions}
    if name not in specs:
        return f"there is no function {name!r}, only {', '.join(specs)}"
    from jsonschema import Draft202012Validator  # after the start, see `app.wiring`

    for error in Draft202012Validator(specs[name].parameters).iter_errors(arguments):
        return f"the arguments of {name} do not fit its schema: {error.message[:200]}"
    return None
