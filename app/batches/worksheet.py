"""Moodle's grading worksheet, read and written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.errors import InvalidInput
from core.files import write_atomically

IDENTIFIER, NAME, STATUS, COMMENTS = "Identifier", "Full name", "Status", "Feedback comments"
COLUMNS = (
    IDENTIFIER, NAME, "Email address", STATUS, "Grade", "Maximum Grade", "Grade can be changed",
    "Last modified (grade)", COMMENTS,
)  # fmt: skip
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet takes for a formula."""

Row = dict[str, str]


def read_worksheet(path: Path) -> list[Row]:
    """The rows of a worksheet as Moodle hands it out. Raises `InvalidInput`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}.") from error
    reader = csv.DictReader(io.StringIO(text))
    if missing := {IDENTIFIER, COMMENTS} - set(reader.fieldnames or ()):
        raise InvalidInput(
            f"{path} has no column {' and '.join(sorted(missing))}. Download the worksheet with feedback comments on."
        )
    return [{name: value or "" for name, value in row.items() if name} for row in reader]


def write_worksheet(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write the rows, replacing the file as a whole. Further columns of a worksheet that was read stay."""
    rows = list(rows)
    more = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS)
    written = io.StringIO()
    writer = csv.DictWriter(written, [*COLUMNS, *more], restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _as_text(value) for name, value in row.items()} for row in rows)
    write_atomically(path, written.getvalue().encode(), private=True)


def _as_text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula. A lone sign, as Moodle writes it, is none."""
    return f"'{cell}" if len(cell) > 1 and cell.startswith(_DANGEROUS) else cell
