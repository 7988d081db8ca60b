"""Words, columns, formulas and scans of PDF files."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf
import pytest

from core.ocr import find_tesseract
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.pdf import load
from ingestion.loaders.pdf_formulas import with_marked_formulas
from ingestion.loaders.pdf_words import join_spans, with_accents, with_whole_words
from ingestion.questions.headers import detect_by_rule

MakePdf = Callable[..., pymupdf.Document]


def read(document: pymupdf.Document) -> LoadedDocument:
    return load("notes.pdf", document.tobytes())


def texts(document: pymupdf.Document) -> list[str]:
    return [line.text for line in read(document).lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Erd˝os and M¨obius", "Erdős and Möbius"),
        ("na¨ıve, fa¸cade, Franc¸ois", "naïve, façade, François"),
        ("the mean ¯y and the vector ˆv", "the mean ȳ and the vector v̂"),
        ("`code` ~/home x^2", "`code` ~/home x^2"),
    ],
)
def test_an_accent_and_its_letter_are_one(text: str, expected: str) -> None:
    assert with_accents(text) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("we see that conver-", "gence is slow"), ["we see that convergence", "is slow"]),
        (("a first-", "order method"), ["a first-order", "method"]),
        (("an out-of-", "sample error"), ["an out-of-sample", "error"]),
        (("pages 3-", "5 are left out"), ["pages 3-", "5 are left out"]),
        (("the blockchain-", "Based"), ["the blockchain-", "Based"]),
        (("Kniffel-", "spiele. Kniffelspiele gibt es", "viele"), ["Kniffelspiele.", "Kniffelspiele gibt es", "viele"]),
        (("the sto-", "chastic", "case"), ["the stochastic", "case"]),
    ],
)
def test_words_broken_at_a_lines_end_are_whole(lines: tuple[str, ...], expected: list[str]) -> None:
    assert [line.text for line in with_whole_words([Line(text, page=1) for text in lines])] == expected


def _span(text: str, size: float = 10.0, y: float = 100.0) -> dict[str, object]:
    return {"text": text, "size": size, "origin": (0.0, y), "flags": 0}


def test_exponents_and_indices_are_told_from_words_by_size_and_height() -> None:
    assert join_spans([_span("7"), _span("3", 7, 96), _span(" > x"), _span("i+1", 7, 102), _span(", y")]) == (
        "7^3 > x_(i+1), y"
    )
    assert join_spans([_span("B", 12), _span("OUNDS", 9), _span(" hold")]) == "BOUNDS hold"
    assert join_spans([_span("dt ="), _span(" f(t)", 10, 93)]) == "dt = f(t)"


def test_a_sideways_stamp_is_no_text_and_no_title(make_pdf: MakePdf) -> None:
    document = make_pdf([[(120, 90, "On Sorting"), (120, 120, "We sort by merging"), (120, 134, "two halves.")]])
    document[0].insert_text((30, 600), "preprint 7 May 2024", fontsize=22, rotate=90)
    document[0].insert_text((300, 500), "seconds", fontsize=9, rotate=90)
    loaded = read(document)
    assert [line.text for line in loaded.lines] == ["On Sorting", "We sort by merging", "two halves.", "seconds"]
    assert loaded.title != "preprint 7 May 2024"


def test_a_page_that_is_sideways_as_a_whole_is_read() -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 600), "All of it is turned.", rotate=90)
    assert texts(document) == ["All of it is turned."]


def test_three_columns_are_read_one_after_the_other(make_pdf: MakePdf) -> None:
    columns = [[f"{name} line {n} of the column" for n in range(5)] for name in ("first", "second", "third")]
    pieces = [(40 + 190 * c, 100 + 14 * n, column[n]) for n in range(5) for c, column in enumerate(columns)]
    assert texts(make_pdf([pieces])) == [text for column in columns for text in column]


def test_rows_of_a_table_stay_rows(make_pdf: MakePdf) -> None:
    rows = [(x, 100 + 14 * n, f"{x}-{n}") for n in range(6) for x in (40, 230, 420)]
    assert texts(make_pdf([rows]))[0] == "40-0 230-0 420-0"


def test_a_drop_cap_is_a_letter_of_its_word() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 128), "T", fontsize=40)
    for n, text in enumerate(("rees have no cycles and", "are connected graphs.")):
        page.insert_text((98, 110 + 14 * n), text, fontsize=11)
    assert texts(document) == ["Trees have no cycles and", "are connected graphs."]


def test_text_of_several_nearly_equal_sizes_has_no_headings() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Energy", fontsize=16)
    for n in range(12):
        page.insert_text((72, 100 + 14 * n), f"This sentence number {n} is of the text", fontsize=10 + 0.1 * (n % 2))
    for n in range(20):
        page.insert_text((72, 300 + 10 * n), f"x[{n}] = compute_the_energy_of(x, {n})", fontsize=8)
    assert [header.title for header in detect_by_rule(read(document), questions=False)] == ["Energy"]


def _marked(*lines: str) -> list[str]:
    return [line.text for line in with_marked_formulas([Line(text, page=4, box=(0, 0, 9, 9)) for text in lines])]


def test_a_destroyed_formula_points_to_its_page() -> None:
    assert _marked("The norm is", "\ufffdX", "i=1", "x^2", "\ufffd1/2", "for all vectors.") == [
        "The norm is",
        "[formula, see page 4]",
        "for all vectors.",
    ]
    assert _marked("so that \ufffd\ufffdx holds for every set") == ["so that [formula, see page 4] holds for every set"]


def test_what_is_no_formula_stays() -> None:
    grades = ("A", "93-100", "B", "85-92")
    assert _marked(*grades) == list(grades)
    assert _marked("\uf0b7 Bring a pen", "x = 3", "y = 4") == ["- Bring a pen", "x = 3", "y = 4"]


@pytest.mark.skipif(find_tesseract() is None, reason="tesseract is not installed")
def test_a_scan_is_read_where_that_is_possible() -> None:
    source = pymupdf.open()
    page = source.new_page()
    for n, text in enumerate(("The midterm takes place in room 204.", "Bring a calculator and a pen.")):
        page.insert_text((72, 100 + 40 * n), text, fontsize=20)
    picture = page.get_pixmap(dpi=150).tobytes("png")
    document = pymupdf.open()
    document.new_page().insert_image(document[0].rect, stream=picture)
    loaded = read(document)
    assert [line.text for line in loaded.lines] == [
        "The midterm takes place in room 204.",
        "Bring a calculator and a pen.",
    ]
    assert loaded.warnings == ("notes.pdf: page 1 scanned, read by OCR. Check that it was read well enough.",)


def test_a_scan_that_cannot_be_read_is_named(make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    document = make_pdf([[(72, 100, "A page with text")], []])
    grey = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    document[1].insert_image(document[1].rect, pixmap=grey)
    assert read(document).warnings == (
        "notes.pdf: page 2 scanned and not read. Run OCR on the PDF and ingest it again.",
    )
