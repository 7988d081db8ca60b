"""Records as lines of a table, if they are a schedule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from core.errors import DataDocument
from core.text.dates import read_moments
from core.text.html import html_text
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import title_from

MIN_DATES = 2
MAX_ROWS = 600
_PERSON = re.compile(
    r"(?:(?:student|full|first|last|sur|given|family|user) ?)?names?|students?|(?:student|net|user) ?id|sid|uid|"
    r"matrikelnummer|(?:vor|nach)name|alumn[oa]s?|apellidos?|nombre|étudiant|nom|prénom|naam",
    re.IGNORECASE,
)
_GRADE = re.compile(
    r"(?:total |final )?(?:scores?|grades?|marks?|results?)|punkte|nota|calificación|puntuación|cijfer|"
    r"submitted(?: at| on)?",
    re.IGNORECASE,
)
_DUE = re.compile(r".*\b(?:due|deadline|release|abgabe|frist|entrega|rendu|inlever)\w*.*", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w")


def table_lines(records: Sequence[Mapping[str, str]]) -> list[str]:
    """A head and a row for each record; columns that are empty everywhere are left out."""
    columns = list(dict.fromkeys(name for record in records for name, cell in record.items() if cell))
    if not columns:
        return []
    rows = [" | ".join(record.get(name, "") for name in columns) for record in records if any(record.values())]
    return [f"| {row} |" for row in (" | ".join(columns), " | ".join("---" for _ in columns), *rows)]


def sheet_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """`table_lines` of rows of cells, whose heads are the first row with several: one cell is a title above them."""
    filled = [row for row in rows if any(row)]
    first = next((number for number, row in enumerate(filled) if sum(map(bool, row)) > 1), 0)
    heads = [head or f"column {number}" for row in filled[first : first + 1] for number, head in enumerate(row, 1)]
    return table_lines([dict(zip(heads, row, strict=False)) for row in filled[first + 1 :]])


def _heads_grades(row: str) -> bool:
    """True for the head of a table of what people have got, and not of works with their marks and days."""
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    is_of_people = any(map(_PERSON.fullmatch, cells)) and any(map(_GRADE.fullmatch, cells))
    return is_of_people and not any(map(_DUE.fullmatch, cells))


def cell_text(value: str) -> str:
    """A cell in one line, without markup and bars."""
    text = re.sub(r"<br\s*/?>", "; ", value, flags=re.IGNORECASE)
    text = html_text(text) if "<" in text and ">" in text else text
    return re.sub(r"\s+", " ", text.replace("|", "/")).strip()


def schedule(name: str, title: str | None, lines: Sequence[Line]) -> LoadedDocument:
    """The document of a schedule's lines. Raises `DataDocument` where they hold too few dates, dates of more years than
    a course has, or people's addresses or grades."""
    texts = [line.text for line in lines]
    moments = [moments for text in texts[: MAX_ROWS + 1] if (moments := read_moments(text[:600]))]
    if len(moments) < MIN_DATES:
        raise DataDocument(f"{name}: no schedule, since it holds no dates.")
    years = Counter(row[0].moment.year for row in moments if row[0].moment.year)
    if years and max(years[year] + years[year + 1] for year in years) < years.total() / 2:
        raise DataDocument(f"{name}: no schedule, since its dates are of {len(years)} years.")
    if len(texts) > MAX_ROWS:
        raise DataDocument(f"{name}: no schedule, since it has more than {MAX_ROWS} rows.")
    if sum(bool(_MAIL.search(text)) for text in texts) > len(texts) / 2 or any(map(_heads_grades, texts)):
        raise DataDocument(f"{name}: a list of people rather than a schedule.")
    return LoadedDocument(title_from(name, title), tuple(lines), complete=True)
