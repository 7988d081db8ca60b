"""What Word and PowerPoint have in common in their XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from core.text.lines import tidy

_MONOSPACED = re.compile(r"courier|consol|mono|menlo|\bcode\b|typewriter", re.IGNORECASE)
_SKIPPED = frozenset(("Fallback", "del", "moveFrom", "instrText", "txbxContent", "rPr", "pPr", "delText"))
"""Beside what is shown: its copy for old programs, deleted text, field codes, and text boxes, which are read apart."""
_BREAKS = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-"}


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


def find_all(element: Any, name: str) -> Iterator[Any]:
    """All elements of that name below, none of them inside a copy for old programs."""
    for below in element:
        if local(below) == name:
            yield below
        elif local(below) != "Fallback":
            yield from find_all(below, name)


def _is_shown(run: Any) -> bool:
    return True


def visible_text(element: Any, is_shown: Callable[[Any], bool] = _is_shown) -> str:
    """The text of a paragraph or run, formulas on one line; runs that are not `is_shown` left out."""
    parts: list[str] = []
    for below in element:
        name = local(below)
        if name == "t":
            parts.append(below.text or "")
        elif name == "oMath":
            parts.append(_formula(below))
        elif name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name not in _SKIPPED and (name != "r" or is_shown(below)):
            parts.append(visible_text(below, is_shown))
    return "".join(parts)


def _formula(element: Any) -> str:
    return f"${_math(element).strip()}$"


def _math(element: Any) -> str:
    parts = {local(below): below for below in element}
    inside = {name: _math(below) for name, below in parts.items() if name in ("e", "sup", "sub", "num", "den", "deg")}
    match local(element):
        case "t":
            return element.text or ""
        case "f":
            return rf"\frac{{{inside.get('num', '')}}}{{{inside.get('den', '')}}}"
        case "rad":
            return rf"\sqrt{{{inside.get('e', '')}}}"
        case "sSup" | "sSub" | "sSubSup" | "nary":
            sign = attribute(character, "val") if (character := child(element, "naryPr", "chr")) is not None else None
            base = (sign or "∫") + " " if local(element) == "nary" else inside.get("e", "")
            scripts = "".join(
                f"{mark}{{{inside[name]}}}" for mark, name in (("_", "sub"), ("^", "sup")) if inside.get(name)
            )
            return base + scripts + (f" {inside.get('e', '')}" if local(element) == "nary" else "")
        case "d":
            return f"({', '.join(_math(below) for below in element if local(below) == 'e')})"
    return "".join(_math(below) for below in element if not local(below).endswith("Pr"))


def is_monospaced(fonts: Iterable[str | None]) -> bool:
    """Whether all of the fonts, at least one, are those of programs."""
    named = list(fonts)
    return bool(named) and all(font and _MONOSPACED.search(font) for font in named)


def table_rows(table: Any, is_shown: Callable[[Any], bool] = _is_shown) -> Iterator[str]:
    """A table's rows, cells apart by bars, tables inside a cell on its line."""
    for row in (below for below in table if local(below) == "tr"):
        cells = (below for below in _cells(row))
        texts = [" ".join(" ".join(visible_text(p, is_shown) for p in find_all(cell, "p")).split()) for cell in cells]
        if any(texts):
            yield tidy(" | ".join(texts))


def _cells(row: Any) -> Iterator[Any]:
    for below in row:
        if local(below) == "tc":
            yield below
        elif local(below) in ("sdt", "sdtContent"):
            yield from _cells(below)
