"""Moodle's grading worksheet, read and written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.csv_tables import csv_text
from core.errors import InvalidInput
from core.files import write_atomically

IDENTIFIER, NAME, EMAIL, STATUS = "Identifier", "Full name", "Email address", "Status"
COMMENTS = "Feedback comments"
COLUMNS = (
    IDENTIFIER, NAME, EMAIL, STATUS, "Grade", "Maximum Grade", "Grade can be changed",
    "Last modified (grade)", COMMENTS,
)  # fmt: skip

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
    """Replace the file by these rows, further columns included."""
    rows = list(rows)
    more = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS)
    columns = [*COLUMNS, *more]
    text = csv_text(columns, ([row.get(name, "") for name in columns] for row in rows), line_end="\r\n")
    write_atomically(path, text.encode(), private=True)
