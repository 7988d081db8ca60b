"""What Word and PowerPoint have in common in their XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxml import etree

from core.text.lines import tidy
from core.text.raised import lowered, raised
from ingestion.loaders.office.formulas import to_tex
from ingestion.loaders.office.xml import attribute, child, local, value

_MONOSPACED = re.compile(r"courier|consol|mono|menlo|\bcode\b|typewriter", re.IGNORECASE)
_SKIPPED = frozenset(("Fallback", "del", "moveFrom", "instrText", "txbxContent", "rPr", "pPr", "delText"))
"""Beside what is shown: its copy for old programs, deleted text, field codes, and text boxes, which are read apart."""
_SCRIPTS = {"superscript": raised, "subscript": lowered}
_BREAKS = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-"}


def parse_part(part: bytes) -> Any:
    """A part's XML, nothing fetched."""
    return etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))


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
            parts.append(f"${to_tex(below).strip()}$")
        elif name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name == "r":
            if is_shown(below) and not _is_struck(below):
                parts.append(_run_text("".join(parts[-2:]), below))
        elif name not in _SKIPPED:
            parts.append(visible_text(below, is_shown))
    return "".join(parts)


def _run_text(before: str, run: Any) -> str:
    text = visible_text(run)
    properties = child(run, "rPr")
    if properties is None or not text.strip():
        return text
    position = value(properties, "vertAlign") or _by_baseline(attribute(properties, "baseline") or "0")
    if position not in _SCRIPTS:
        return text
    return _SCRIPTS[position](before, text) + (" " if text[-1].isspace() else "")


def _by_baseline(percent: str) -> str:
    """How PowerPoint raises text: by thousandths of a per cent of its size, or by a percentage."""
    if not percent.strip("-0% "):
        return ""
    return "subscript" if percent.startswith("-") else "superscript"


def _is_struck(run: Any) -> bool:
    properties = child(run, "rPr")
    if properties is None:
        return False
    toggles = (child(properties, name) for name in ("strike", "dstrike"))
    by_word = any(mark is not None and attribute(mark, "val") not in ("0", "false", "off") for mark in toggles)
    return by_word or (attribute(properties, "strike") or "noStrike") != "noStrike"


def is_monospaced(fonts: Iterable[str | None]) -> bool:
    """Whether all of the fonts, at least one, are those of programs."""
    names = list(fonts)
    return bool(names) and all(font and _MONOSPACED.search(font) for font in names)


def table_rows(table: Any, is_shown: Callable[[Any], bool] = _is_shown) -> Iterator[str]:
    """A table's rows, cells apart by bars, tables inside a cell on its line."""
    for row in (below for below in table if local(below) == "tr"):
        texts = [paragraphs_text(cell, is_shown) for cell in _cells(row)]
        if any(texts):
            yield tidy(" | ".join(texts))


def paragraphs_text(element: Any, is_shown: Callable[[Any], bool] = _is_shown) -> str:
    """The text of all paragraphs below an element, on one line."""
    return " ".join(" ".join(visible_text(p, is_shown) for p in find_all(element, "p")).split())


def _cells(row: Any) -> Iterator[Any]:
    for below in row:
        if local(below) == "tc":
            yield below
        elif local(below) in ("sdt", "sdtContent"):
            yield from _cells(below)
