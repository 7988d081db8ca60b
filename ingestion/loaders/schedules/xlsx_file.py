"""Excel workbooks that hold a schedule: a table for each sheet that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from ingestion.document import Line, LoadedDocument
from ingestion.loaders.office.package import open_package, reading
from ingestion.loaders.schedules.tables import MAX_ROWS, cell_text, schedule, sheet_lines

MAX_COLUMNS = 40
MAX_SHEETS = 20
MAX_LOOKED_AT = 10_000
"""Rows, hidden ones included."""


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` and its kinds, and `DataDocument` for what is no schedule."""
    package = open_package(name, data)
    with reading(name):
        import openpyxl  # as every loader, imported for its own format alone

        book = openpyxl.load_workbook(package, data_only=True, keep_links=False)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"][:MAX_SHEETS]
        lines = [line for sheet in sheets for line in _lines(sheet, is_only=len(sheets) == 1)]
        title = (book.properties.title or "").strip() or None
    return schedule(name, title, lines)


def _lines(sheet: Any, *, is_only: bool) -> Iterator[Line]:
    texts = sheet_lines(list(_rows(sheet)))
    if texts and not is_only:
        yield Line(sheet.title, level=2)
    yield from map(Line, texts)


def _rows(sheet: Any) -> Iterator[list[str]]:
    """The cells that a reader of the sheet sees: what is hidden, or has no width, is the author's own."""
    hidden = {
        number
        for part in sheet.column_dimensions.values()
        if part.hidden or part.width == 0
        for number in range(part.min or 0, min(part.max or 0, MAX_COLUMNS) + 1)
    }
    cells = sheet.iter_rows(max_row=min(sheet.max_row, MAX_LOOKED_AT), max_col=MAX_COLUMNS, values_only=True)
    seen = (row for number, row in enumerate(cells, 1) if not _is_hidden(sheet.row_dimensions[number]))
    for row in islice(seen, MAX_ROWS + 2):
        yield [_text(cell) for column, cell in enumerate(row, 1) if column not in hidden]


def _is_hidden(row: Any) -> bool:
    return bool(row.hidden) or row.height == 0


def _text(cell: Any) -> str:
    """A cell as it would be written; a day without the midnight that Excel adds to it."""
    if isinstance(cell, datetime):
        return str(cell.date()) if cell.time() == time.min else cell.strftime("%Y-%m-%d %H:%M")
    if isinstance(cell, date):
        return str(cell)
    if isinstance(cell, time):
        return cell.strftime("%H:%M")
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else cell_text(str(cell))
