"""Quarto and R Markdown: as Markdown; chunks stay code, shortcodes and marks of slides are removed."""

from __future__ import annotations

import re
from dataclasses import replace

from core.errors import EmptyDocument
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders import markdown
from ingestion.loaders.front_matter import FrontMatter
from ingestion.loaders.remark import as_markdown, is_deck

_SHORTCODE = re.compile(r"\{\{<(?:(?!\{\{<|>\}\})[^\n]){0,500}>\}\}")
_CLASS = r"[.#][A-Za-z][\w-]*"
_ATTRIBUTE = rf"(?:{_CLASS}|(?:width|height|style|class|id|target|fig-[\w-]+)=(?:\"[^\"\n]*\"|[^\s{{}}\"]+))"
_ATTRIBUTES = rf"\{{\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*\}}"
_SPAN = re.compile(rf"(?<![\\\w])\[([^\[\]\n]*)\]{_ATTRIBUTES}")
_MARKS = re.compile(_ATTRIBUTES)
"""What is left behind pictures and headings."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where nothing is left to read."""
    document = markdown.load(name, data, _body)
    lines = tuple(rest for line in document.lines if (rest := _without_marks(line)) is not None)
    if not any(line.text.strip() for line in lines):
        raise EmptyDocument(f"{name}: there is no text in it, only marks or shortcodes.")
    return replace(document, lines=lines)


def _body(header: FrontMatter) -> str:
    return as_markdown(header.text) if is_deck(header.header) else header.text


def _without_marks(line: Line) -> Line | None:
    if line.kind is not LineKind.PROSE:
        return line
    text = _MARKS.sub("", _SPAN.sub(r"\1", _SHORTCODE.sub("", line.text)))
    return None if line.text.strip() and not text.strip() else replace(line, text=text)
