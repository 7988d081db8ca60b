"""Fills the placeholders of prompts. A value is text: nothing in it, or in a placeholder, is ever evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from eval.scenarios.scenario import Dialect

_NEW = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def filled(template: str, variables: Mapping[str, Any], dialect: Dialect) -> str:
    """The template with `{name}` replaced by each variable's value; other braces stay as they are.

    Dialect 1.0 follows `str.format`, where a doubled brace stands for one; 0.1 replaces one variable after the other.
    """
    texts = {name: as_text(value) for name, value in variables.items()}
    if dialect == Dialect.V0_1:
        for name, text in texts.items():
            template = template.replace(f"{{{name}}}", text)
        return template
    return _NEW.sub(lambda found: _replaced(found, texts), template)


def as_text(value: Any) -> str:
    """A value as a prompt shows it: true, false and null as YAML writes them, null as nothing."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _replaced(found: re.Match[str], texts: Mapping[str, str]) -> str:
    if found[1] is None:
        return found[0][0]
    return texts.get(found[1], found[0])
