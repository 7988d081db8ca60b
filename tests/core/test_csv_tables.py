"""Tables that spreadsheets open: text stays text, and numbers stay numbers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from core.csv_tables import as_text, csv_text

ROOT = Path(__file__).parents[2]
FORMULAS = [
    '=HYPERLINK("http://x.example","x")', "+1+1", "-1+cmd()", "@SUM(A1)", "\tx", "\r=1+1", "  =1+1", '"=1+1', "\n=1+1",
    "＝1+1", "＠SUM(A1)", "＋1+1", "\u200b=1+1", "\ufeff=1+1", "\xa0=1+1", "“=1+1",
]  # fmt: skip
TEXTS = ["-3.5", "+2", "1e-3", "-12 %".replace(" ", ""), "-", "=", "", "a = b", "x-1", "'=1+1", "2 + 2", "Müller"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_written_as_text(cell: str) -> None:
    assert as_text(cell) == f"'{cell}"
    assert as_text(as_text(cell)) == as_text(cell)


@pytest.mark.parametrize("cell", TEXTS)
def test_other_text_is_written_as_it_is(cell: str) -> None:
    assert as_text(cell) == cell


def test_headers_are_guarded_as_well_and_numbers_stay_numbers() -> None:
    text = csv_text(["=a", "b", "c"], [[-3.5, None, "=1"], [["=x"], -2, True]])
    assert list(csv.reader(io.StringIO(text))) == [["'=a", "b", "c"], ["-3.5", "", "'=1"], ["['=x']", "-2", "True"]]


def test_every_table_is_written_in_one_place() -> None:
    writers = re.compile(r"csv\.(?:writer|DictWriter)|to_csv|xlsxwriter|openpyxl\.Workbook")
    rooms = ("app", "core", "eval", "ingestion", "pipelines", "retrievers")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    assert [file.name for file in files if writers.search(file.read_text(encoding="utf-8"))] == ["csv_tables.py"]
