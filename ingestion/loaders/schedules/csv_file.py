"""CSV and TSV files that hold a schedule."""

from __future__ import annotations

import csv
from io import StringIO

from core.errors import DataDocument
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode
from ingestion.loaders.schedules.tables import MAX_ROWS, cell_text, schedule, sheet_lines

SAMPLE_CHARS = 4_000


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument`, `EmptyDocument`, and `DataDocument` for what is no schedule."""
    decoded = decode(name, data)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(decoded.text[:SAMPLE_CHARS], delimiters=",;\t")
    except csv.Error:
        dialect = csv.excel
    rows: list[list[str]] = []
    try:
        for row in csv.reader(StringIO(decoded.text), dialect, strict=False):
            rows.append([cell_text(cell) for cell in row])
            if len(rows) > MAX_ROWS + 1:
                raise DataDocument(f"{name}: no schedule, since it has more than {MAX_ROWS} rows.")
    except csv.Error as error:
        raise DataDocument(f"{name}: no table that can be read ({error}).") from error
    return schedule(name, None, [Line(text) for text in sheet_lines(rows)])
