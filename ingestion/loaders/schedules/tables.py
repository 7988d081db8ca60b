"""Records as lines of a table, if they are a schedule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.errors import DataDocument
from core.text.dates import read_moments
from core.text.html import html_text
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import title_from

MIN_DATES = 2
MAX_ROWS = 600
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w")


def table_lines(records: Sequence[Mapping[str, str]]) -> list[str]:
    """A head and a row for each record; columns that are empty everywhere are left out."""
    columns = list(dict.fromkeys(name for record in records for name, cell in record.items() if cell))
    if not columns:
        return []
    rows = [" | ".join(record.get(name, "") for name in columns) for record in records if any(record.values())]
    return [f"| {row} |" for row in (" | ".join(columns), " | ".join("---" for _ in columns), *rows)]


def cell_text(value: str) -> str:
    """A cell in one line, without markup and bars."""
    text = re.sub(r"<br\s*/?>", "; ", value, flags=re.IGNORECASE)
    text = html_text(text) if "<" in text and ">" in text else text
    return re.sub(r"\s+", " ", text.replace("|", "/")).strip()


def schedule(name: str, title: str | None, lines: Sequence[Line]) -> LoadedDocument:
    """The document of a schedule's lines. Raises `DataDocument` where they hold too few dates, or people's "
    "addresses."""
    texts = [line.text for line in lines]
    dated = sum(bool(read_moments(text[:600])) for text in texts[: MAX_ROWS + 1])
    if dated < MIN_DATES:
        raise DataDocument(f"{name}: no schedule, since it holds no dates.")
    if len(texts) > MAX_ROWS:
        raise DataDocument(f"{name}: no schedule, since it has more than {MAX_ROWS} rows.")
    if sum(bool(_MAIL.search(text)) for text in texts) > len(texts) / 2:
        raise DataDocument(f"{name}: a list of people rather than a schedule.")
    return LoadedDocument(title_from(name, title), tuple(lines), complete=True)
