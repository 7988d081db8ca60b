"""Tables as CSV, the one way in which they are written: no cell of them is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:[eE][+-]?\d+)?%?")
_FORMULA = "=+-@"
"""Beginnings of a formula, in full width as well."""
_SET_OFF = "\t\r"
"""Beginnings that spreadsheets skip, after which they look for a formula again."""


def csv_text(columns: Sequence[object], rows: Iterable[Sequence[object]], line_end: str = "\n") -> str:
    """A header and rows as CSV. Numbers stay numbers; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow([_cell(name) for name in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return value if value is None or isinstance(value, int | float) else as_text(str(value))


def as_text(cell: str) -> str:
    """The cell with an apostrophe before it if a spreadsheet would take it for a formula. A lone sign is none."""
    if _NUMBER.fullmatch(cell):
        return cell
    plain = unicodedata.normalize("NFKC", _without_lead(cell))
    is_formula = len(plain) > 1 and plain.startswith(tuple(_FORMULA))
    return f"'{cell}" if is_formula or cell.startswith(tuple(_SET_OFF)) else cell


def _without_lead(cell: str) -> str:
    """The cell from its first character that is neither space, quotation mark nor invisible."""
    for at, char in enumerate(cell):
        if char == "'" or not (char in '"`' or unicodedata.category(char) in _INVISIBLE):
            return cell[at:]
    return ""


_INVISIBLE = ("Zs", "Zl", "Zp", "Cc", "Cf", "Pi", "Pf", "Mn")
