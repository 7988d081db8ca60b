"""What is wrong with a form, in the words of whoever fills it in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

_OF_OPERATORS = re.compile(r",? or raise EDUMOD_[A-Z_]+")
_EMPTY = ("string_too_short", "missing", "string_type", "too_short")
_NUMBERS = ("int_parsing", "int_type", "greater_than_equal", "less_than_equal")


def in_plain_words(error: ValidationError, labels: Mapping[str, str]) -> str:
    """A sentence for each field, by its label on the page. `labels` are by the field's name, or its path."""
    problems = error.errors(include_url=False, include_input=False)
    return " ".join(dict.fromkeys(_sentence(problem, labels) for problem in problems))


def without_settings(message: str, labels: Mapping[str, str]) -> str:
    """A message for programs with labels for paths of fields, and without what only an operator can do."""
    for path in sorted(labels, key=len, reverse=True):
        # The names of fields are words, too: one counts where something is said of the field.
        message = re.sub(rf"(?<![\w.]){re.escape(path)}(?= has )", labels[path], message)
    return _OF_OPERATORS.sub("", message)


def _sentence(problem: Any, labels: Mapping[str, str]) -> str:
    path = ".".join(str(part) for part in problem["loc"])
    label = labels.get(path) or labels.get(str(problem["loc"][-1]) if problem["loc"] else "", "A field")
    kind, limits = problem["type"], problem.get("ctx", {})
    if kind in _EMPTY:
        return f"{label} is empty. Write something, then send it again."
    if kind in ("string_too_long", "too_long"):
        return f"{label} is too long: at most {limits.get('max_length'):,} characters."
    if kind in _NUMBERS:
        return f"{label} is not a number that can be used here."
    if kind in ("enum", "literal_error"):
        return f"{label} is not one of the choices."
    return f"{label} cannot be used: {problem['msg']}."
