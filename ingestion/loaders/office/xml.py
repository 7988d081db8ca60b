"""Elements of XML by their local names."""

from __future__ import annotations

from typing import Any


def local(element: Any) -> str:
    """An element's name without its namespace; nothing for comments."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str | None:
    """An attribute's value, whatever its namespace."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def child(element: Any, *path: str) -> Any | None:
    """The first element down a path of names, or none."""
    for name in path:
        element = next((below for below in element if local(below) == name), None) if element is not None else None
    return element


def value(element: Any, *path: str) -> str:
    """The `val` of the first element down a path of names; empty without one."""
    below = child(element, *path)
    return "" if below is None else attribute(below, "val") or ""
