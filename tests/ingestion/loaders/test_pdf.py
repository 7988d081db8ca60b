from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import pymupdf
import pytest

from core.errors import EmptyDocument, EncryptedDocument, UnreadableDocument
from ingestion.document import LoadedDocument, OutlineEntry
from ingestion.loaders.pdf import load
from ingestion.questions.headers import detect_by_rule

MakePdf = Callable[..., pymupdf.Document]
WORDS = "some words that fill a line of a column"


def read(document: pymupdf.Document) -> LoadedDocument:
    return load("hw1.pdf", document.tobytes())


def texts(document: pymupdf.Document) -> list[str]:
    return [line.text for line in read(document).lines]


def body(page: int) -> list[tuple[float, float, str]]:
    return [(72, 300, f"Text of page {'abcdefgh'[page]}"), (72, 320, "and more of it")]


def test_lines_have_page_box_size_and_weight() -> None:
    document = pymupdf.open()
    document.new_page()
    page = document.new_page()
    page.insert_text((72, 100), "Question 1", fontsize=18, fontname="hebo")
    page.insert_text((72, 130), "Compute the mean.", fontsize=11)
    question, text = read(document).lines
    assert (question.text, question.size, question.bold, question.page) == ("Question 1", 18, True, 2)
    assert (text.text, text.size, text.bold) == ("Compute the mean.", 11, False)
    assert question.box
    x0, y0, x1, y1 = question.box
    assert (x0, y0 < 100 < y1, 140 < x1 < 200) == (72, True, True)


def test_bold_is_also_told_by_the_name_of_the_font() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_htmlbox((72, 72, 500, 300), "<p>plain</p><p><b>bold line</b></p><p>so <b>it</b> is not bold</p>")
    assert [(line.text, line.bold) for line in read(document).lines] == [
        ("plain", False),
        ("bold line", True),
        ("so it is not bold", False),
    ]


def test_a_label_and_its_text_are_one_line(make_pdf: MakePdf) -> None:
    document = make_pdf([[(72, 100, "1."), (120, 100, "Compute."), (400, 100, "[5 points]"), (72, 115, "(a) More")]])
    assert texts(document) == ["1. Compute. [5 points]", "(a) More"]


def test_pieces_of_a_line_are_joined_from_left_to_right(make_pdf: MakePdf) -> None:
    assert texts(make_pdf([[(300, 100, "right"), (72, 100, "left")]])) == ["left right"]


def test_an_index_is_no_part_of_the_line_beside_it() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "x", fontsize=12)
    page.insert_text((150, 94), "note", fontsize=7)
    assert texts(document) == ["x", "note"]


@pytest.mark.parametrize("by_height", [True, False])
def test_columns_are_read_one_after_the_other(make_pdf: MakePdf, by_height: bool) -> None:
    left = [(72.0, 100.0 + 14 * n, f"left {n} {WORDS}"[:38]) for n in range(8)]
    right = [(330.0, 100.0 + 14 * n, f"right {n} {WORDS}"[:38]) for n in range(8)]
    order = [piece for row in zip(left, right, strict=True) for piece in row] if by_height else left + right
    found = texts(make_pdf([[(72, 60, "A title over both"), *order]]))
    assert [line.split()[0] for line in found] == ["A", *["left"] * 8, *["right"] * 8]


def test_rows_of_a_table_stay_rows(make_pdf: MakePdf) -> None:
    rows = [[(72, 100 + 14 * n, f"Question {n}"), (330, 100 + 14 * n, f"{n} points")] for n in range(6)]
    assert texts(make_pdf([[piece for row in rows for piece in row]]))[2] == "Question 2 2 points"


def test_ligatures_and_soft_hyphens_are_made_plain() -> None:
    document = pymupdf.open()
    page = document.new_page()
    writer = pymupdf.TextWriter(page.rect)
    writer.append((72, 100), "e\ufb03cient\u00a0\ufb01le, in\xadside, hy\xad", font=pymupdf.Font("cjk"))
    writer.write_text(page)
    assert texts(document) == ["efficient file, inside, hy-"]


def test_running_lines_and_page_numbers_are_removed(make_pdf: MakePdf) -> None:
    pages = [[(72, 40, f"DS 100 {n + 1}"), *body(n), (300, 770, f"Page {n + 1} of 4")] for n in range(4)]
    assert texts(make_pdf(pages)) == [text for n in range(4) for _, _, text in body(n)]


def test_headers_of_left_and_right_pages_are_removed(make_pdf: MakePdf) -> None:
    pages = [[(72, 40, ("The book", "This chapter")[n % 2]), *body(n)] for n in range(8)]
    assert len(texts(make_pdf(pages))) == 16


def test_a_title_pages_number_may_stand_elsewhere(make_pdf: MakePdf) -> None:
    first = [*body(0), (300, 770, "1")]
    others = [[(72, 40, f"HW1 {n + 1}"), *body(n)] for n in range(1, 4)]
    assert len(texts(make_pdf([first, *others]))) == 8


def test_a_question_at_the_head_of_each_page_stays(make_pdf: MakePdf) -> None:
    pages = [[(72, 60, f"Question {n + 1}"), *body(n)] for n in range(4)]
    assert [text for text in texts(make_pdf(pages)) if text[0] == "Q"] == [f"Question {n}" for n in range(1, 5)]


def test_numbered_headings_in_larger_type_stay() -> None:
    document = pymupdf.open()
    for n in range(4):
        page = document.new_page()
        page.insert_text((72, 60), f"Unit {n + 1}", fontsize=20)
        page.insert_text((72, 300), WORDS)
    assert "Unit 3" in texts(document)


def test_a_document_of_two_pages_keeps_its_headers(make_pdf: MakePdf) -> None:
    assert len(texts(make_pdf([[(72, 40, "DS 100"), *body(n)] for n in range(2)]))) == 6


def test_a_document_of_two_pages_loses_its_page_numbers(make_pdf: MakePdf) -> None:
    first = [(72, 120, "Worksheet 6 in full"), *body(0), (300, 770, "1")]
    second = [(72, 40, "Worksheet 6 2"), (300, 40, "Question 2"), *body(1), (300, 770, "Page 2 of 2")]
    found = texts(make_pdf([first, second]))
    assert "Worksheet 6 in full" in found
    assert "Question 2" in " ".join(found)
    assert not {"1", "Worksheet 6 2", "Page 2 of 2"} & set(found)


def test_bookmarks_become_the_outline(make_pdf: MakePdf) -> None:
    document = make_pdf([body(0), body(1)])
    document.set_toc([[1, "Part  1", 1], [2, "Question 1", 2], [1, " ", 2], [1, "Nowhere", -1]])
    assert read(document).outline == (OutlineEntry(1, "Part 1", 1), OutlineEntry(2, "Question 1", 2))


def test_the_title_is_stated_or_largest_or_the_name(make_pdf: MakePdf) -> None:
    document = make_pdf([body(0)])
    assert read(document).title == "hw1"
    document[0].insert_text((72, 200), "Homework 1", fontsize=20)
    assert read(document).title == "Homework 1"
    document.set_metadata({"title": "Microsoft Word - hw1.docx"})
    assert read(document).title == "Homework 1"
    document.set_metadata({"title": "Data 100, Homework 1"})
    assert read(document).title == "Data 100, Homework 1"


def test_a_password_is_asked_for(make_pdf: MakePdf) -> None:
    document = make_pdf([body(0)])
    locked = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u")
    with pytest.raises(EncryptedDocument, match=r"hw1\.pdf.*password"):
        load("hw1.pdf", locked)
    # Readable by all, but not to be changed.
    assert load("hw1.pdf", document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="")).lines


@pytest.mark.parametrize("data", [b"junk", b"%PDF-1.7\n%%EOF", b"%PDF-1.7\n" + bytes(1000)])
def test_what_is_no_pdf_is_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="not a PDF"):
        load("hw1.pdf", data)


def test_a_broken_table_of_objects_is_repaired_and_said(make_pdf: MakePdf) -> None:
    data = re.sub(rb"startxref\s+\d+", b"startxref\n99999", make_pdf([body(0)]).tobytes())
    document = load("hw1.pdf", data)
    assert len(document.lines) == 2
    assert "repaired" in document.warnings[0]


def test_a_document_without_text_asks_for_ocr(make_pdf: MakePdf) -> None:
    with pytest.raises(EmptyDocument, match="OCR"):
        read(make_pdf([[], []]))
    with pytest.raises(EmptyDocument, match="besides headers and footers"):
        read(make_pdf([[(72, 40, "Scanned by the library")]] * 4))


def test_pages_without_text_are_named(make_pdf: MakePdf) -> None:
    document = read(make_pdf([body(0), [], body(1), [], [], []]))
    assert document.warnings == (
        "hw1.pdf: pages 2, 4-6 without text. If scanned, run OCR on the PDF and ingest it again.",
    )


def test_a_thousand_pages_are_read_in_order(make_pdf: MakePdf) -> None:
    document = make_pdf([[(72, 40, "Header"), (72, 300, f"Fact {n}"), (300, 770, str(n + 1))] for n in range(1000)])
    data = document.tobytes()
    started = perf_counter()
    loaded = load("book.pdf", data)
    assert perf_counter() - started < 60
    assert loaded.pages == 1000
    assert [line.text for line in loaded.lines] == [f"Fact {n}" for n in range(1000)]


def test_real_worksheets_lose_their_headers_and_keep_their_questions(shared_data: Path) -> None:
    for file in sorted((shared_data / "ds100_disc_pdf").glob("*.pdf")):
        document = load(file.name, file.read_bytes())
        assert document.warnings == ()
        headers = [line.text for line in document.lines if re.fullmatch(r"Discussion #\d+ \d+", line.text)]
        assert not headers or document.pages < 3, file.name
        assert any(re.match(r"1\. \w", line.text) for line in document.lines), file.name


def test_labels_and_columns_of_a_real_worksheet_are_read_as_printed(shared_data: Path) -> None:
    file = shared_data / "ds100_disc_pdf" / "disc05.pdf"
    lines = [line.text for line in load(file.name, file.read_bytes()).lines]
    assert "5. Write a regular expression that matches strings (including the empty string) that only contain" in lines
    left, right = lines.index("zero or more times"), lines.index('"( )" used to create a sub-expression')
    assert left < right


def test_a_title_over_two_lines_is_one_heading_and_the_document_s_title() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "Storage and the trees", fontsize=20)
    page.insert_text((72, 124), "of a database", fontsize=20)
    page.insert_text((72, 200), "Problem 1", fontsize=20)
    for row in range(8):
        page.insert_text((72, 230 + 14 * row), f"Explain {'abcdefgh'[row]} in a few words of your own.", fontsize=11)
    loaded = read(document)
    assert loaded.title == "Storage and the trees of a database"
    headers = detect_by_rule(loaded, questions=True)
    assert [header.title for header in headers] == ["Storage and the trees of a database", "Problem 1"]
