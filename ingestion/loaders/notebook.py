"""Jupyter notebooks: Markdown cells, code cells, and their outputs, shortened."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from core.errors import EmptyDocument, UnreadableDocument
from core.text.lines import tidy, with_line_feeds
from core.validation import problems_in
from ingestion.document import Line, LineKind, LoadedDocument
from ingestion.loaders.cells import (
    Cell,
    CellOutput,
    Loose,
    is_blank,
    join_lines,
    mark_solutions,
    with_results,
    without_title_of_place,
)
from ingestion.loaders.decoding import decode, first_heading, title_from
from ingestion.loaders.front_matter import read_front_matter
from ingestion.loaders.markdown import read_lines

OLDEST, NEWEST = 3, 4
OUTPUT_LINES, OUTPUT_CHARS = 20, 2_000
SHORTENED = "[output shortened]"

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


# Not nbformat's schema: it draws random ids for cells without one, and takes 0.2 s to import.
class Notebook(Loose):
    cells: list[Cell]


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for no notebook of a known version, `EmptyDocument` where all cells are empty."""
    decoded = decode(name, data)
    notebook = _read(name, decoded.text)
    title = _drop_front_matter(notebook)
    cells: list[list[Line]] = []
    ids: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        cell_id = tidy(cell.id or "") or f"cell-{number}"
        if cell_id in ids:
            cell_id = f"{cell_id}-{number}"
        ids.add(cell_id)
        if cells and is_blank(cell):
            cells[-1] = without_title_of_place(cells[-1])
        cells.append(mark_solutions(cell, list(_cell_lines(cell, cell_id))))
    lines = with_results(cells)
    if not any(line.text for line in lines):
        raise EmptyDocument(f"{name}: the notebook has no cells with text in them.")
    return LoadedDocument(title_from(name, title, first_heading(lines)), tuple(lines), warnings=decoded.warnings)


def _drop_front_matter(notebook: Notebook) -> str | None:
    if not notebook.cells or notebook.cells[0].cell_type == "code":
        return None
    first = notebook.cells[0]
    header = read_front_matter(with_line_feeds(first.source))
    title, first.source = header.title, "\n\n".join(filter(None, [*header.dates, header.body]))
    return title


def _read(name: str, text: str) -> Notebook:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{name}: not a notebook, because it is not valid JSON ({error}).") from error
    if not isinstance(content, dict) or type(content.get("nbformat")) is not int:
        raise UnreadableDocument(f'{name}: not a notebook, because it is JSON without an "nbformat" version.')
    version = content["nbformat"]
    if version > NEWEST:
        raise UnreadableDocument(
            f"{name}: notebook format {version} is newer than this version of EduMod knows ({NEWEST}). "
            f"Save it as format {NEWEST}, or update EduMod."
        )
    if version < OLDEST:
        raise UnreadableDocument(
            f"{name}: notebook format {version} is too old (before 2013). Open it in Jupyter, save it, and ingest that."
        )
    try:
        return Notebook.model_validate(content if version == NEWEST else _upgrade(name, content))
    except ValidationError as error:
        raise UnreadableDocument(f"{name}: a damaged notebook ({problems_in(error, 1)}).") from error


def _upgrade(name: str, content: dict[str, Any]) -> dict[str, Any]:
    """A notebook of version 3 as one of version 4, its cells without the ids that the upgrade draws at random."""
    import nbformat  # only old notebooks need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old = nbformat.versions[OLDEST].to_notebook_json(content, minor=content.get("nbformat_minor", 0))
            upgraded: dict[str, Any] = nbformat.convert(old, NEWEST)  # type: ignore[no-untyped-call]
        return {"cells": [{**cell, "id": None} for cell in upgraded["cells"]]}
    except MemoryError:
        raise
    except Exception as error:
        # The upgrade checks nothing, so that any exception can come of a missing or misshapen field.
        raise UnreadableDocument(
            f"{name}: a notebook of format {OLDEST} that cannot be upgraded ({type(error).__name__}: {error}). "
            "Open it in Jupyter, save it, and ingest that."
        ) from error


def _cell_lines(cell: Cell, cell_id: str) -> Iterator[Line]:
    source = with_line_feeds(cell.source)
    if cell.cell_type == "markdown":
        yield from read_lines(source, cell_id)
        return
    kind = LineKind.CODE if cell.cell_type == "code" else LineKind.PROSE
    if source.strip():
        # Blank lines at the ends, but not the first line's indentation.
        body = re.sub(r"\A(?:[ \t]*\n)+", "", source.rstrip())
        yield from (Line(tidy(line), kind, cell=cell_id) for line in body.split("\n"))
    yield from (Line(line, LineKind.OUTPUT, cell=cell_id) for line in _outputs(cell))


def _outputs(cell: Cell) -> list[str]:
    lines: list[str] = []
    left = OUTPUT_CHARS
    for line in (line for output in cell.outputs for line in _output_lines(output)):
        if len(lines) == OUTPUT_LINES or left <= 0:
            return [*lines, SHORTENED]
        lines.append(line[:left])
        if len(line) > left:
            return [*lines, SHORTENED]
        left -= len(line) + 1
    return lines


def _output_lines(output: CellOutput) -> list[str]:
    is_error = output.output_type == "error"
    text = f"{output.ename}: {output.evalue}" if is_error else output.text or _plainest(output.data)
    # A progress bar writes over its own line: what stands at the end is what the reader saw.
    lines = [tidy(line.rstrip("\r").rpartition("\r")[2]) for line in _ESCAPE.sub("", text).split("\n")]
    return [line for line in lines if line]


def _plainest(data: dict[str, Any]) -> str:
    for kind in ("text/plain", "text/markdown", "text/latex"):
        if isinstance(text := join_lines(data.get(kind)), str) and text.strip():
            return text
    if isinstance(markup := join_lines(data.get("text/html")), str) and markup.strip():
        from core.text.html import html_text  # bs4 is needed for outputs without plain text alone

        return html_text(markup)
    return "[image]" if any(kind.startswith("image/") for kind in data) else ""
