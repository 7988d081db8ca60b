"""Dodona's result of a submission: tabs of contexts of test cases of tests, each level of which may be empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.code import CodeTest, LintMessage

_LEVELS = ("tabs", "groups", "contexts", "testcases", "tests")
MAX_DEPTH = 12


def read(result: Mapping[str, Any]) -> list[CodeTest]:
    """The tests in the order of the page that students see."""
    return list(_tests(result, "", 0))


def _tests(node: Mapping[str, Any], name: str, depth: int) -> Iterator[CodeTest]:
    named = _text(node.get("description")) or name
    if "expected" in node or "generated" in node:
        yield CodeTest(
            name=named or "test",
            accepted=bool(node.get("accepted")),
            expected=_text(node.get("expected")),
            got=_text(node.get("generated")),
            message=_messages(node),
        )
        return
    inner = [one for level in _LEVELS for one in _list(node.get(level)) if isinstance(one, Mapping)]
    if depth < MAX_DEPTH:
        for one in inner:
            yield from _tests(one, named, depth + 1)
    if not inner and "accepted" in node and depth:
        yield CodeTest(name=named or "test", accepted=bool(node["accepted"]), message=_messages(node))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    """A text, or a message with its format as Dodona writes them."""
    if isinstance(value, Mapping):
        return _text(value.get("description"))
    return value if isinstance(value, str) else None


def _messages(node: Mapping[str, Any]) -> str | None:
    return "\n".join(filter(None, map(_text, _list(node.get("messages"))))) or None


def linting(result: Mapping[str, Any]) -> tuple[LintMessage, ...]:
    """The annotations of the code. Dodona counts rows from 0."""
    return tuple(
        LintMessage(line=int(one.get("row", 0)) + 1, code=str(one.get("type", "")), message=str(one.get("text", "")))
        for one in _list(result.get("annotations"))
        if isinstance(one, Mapping) and isinstance(one.get("row", 0), int) and one.get("row", 0) >= 0
    )
