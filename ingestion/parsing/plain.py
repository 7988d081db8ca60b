"""Parses a file into plain values in a process of the pool (see `ingestion.parsing.parser`)."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from ingestion.document import Line, LineKind, LoadedDocument, OutlineEntry
from ingestion.parsing.acceptance import admit


def import_parser(loaders: str, name: str) -> None:
    """Import what parses a file of this name. `loaders` is the module that knows."""
    module = import_module(loaders)
    with suppress(Exception):
        # Its failure is `parse`'s to report.
        module.loader_of(name)


def parse(loaders: str, name: str, data: bytes, is_text: bool, max_chars: int) -> tuple[Any, ...]:
    """The file's document, packed. Raises the loader's errors; what is refused never crosses to the service."""
    load = import_module(loaders).load
    return pack(admit(load, name, data, is_text=is_text, max_chars=max_chars))


def pack(document: LoadedDocument) -> tuple[Any, ...]:
    """The document as plain values, which cross the pipe five times faster."""
    lines = [
        (
            *(line.text, line.kind.value, line.level, line.size, line.bold, line.page, line.box, line.cell),
            *(line.solution, line.closed, line.edge, line.stub, line.seconds, line.staff, line.notes),
        )
        for line in document.lines
    ]
    outline = [(entry.level, entry.title, entry.page) for entry in document.outline]
    return document.title, lines, outline, document.complete, tuple(document.warnings)


def unpack(values: tuple[Any, ...]) -> LoadedDocument:
    """The document that `pack` was given."""
    title, lines, outline, complete, warnings = values
    kinds = {kind.value: kind for kind in LineKind}
    return LoadedDocument(
        title,
        tuple([Line(text, kinds[kind], *rest) for text, kind, *rest in lines]),
        tuple(OutlineEntry(*entry) for entry in outline),
        complete,
        warnings,
    )
