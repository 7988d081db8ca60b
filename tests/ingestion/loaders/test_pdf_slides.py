"""PDFs of slides, made at the sizes that presentation programs export."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest

from core.errors import EmptyDocument
from ingestion.document import LoadedDocument
from ingestion.loaders import load
from ingestion.loaders.pdf_slides import is_deck

WIDE, OLD, BEAMER = (960, 540), (720, 540), (363, 272)
Text = tuple[float, float, float, str]
"""x, baseline, font size, words."""


def _pdf(
    pages: Sequence[Sequence[Text]], size: tuple[float, float] = WIDE, outline: Sequence[Sequence[object]] = ()
) -> bytes:
    made = pymupdf.open()
    for texts in pages:
        page = made.new_page(width=size[0], height=size[1])
        for x, baseline, font, words in texts:
            page.insert_text((x, baseline), words, fontsize=font)
    made.set_toc([list(entry) for entry in outline])
    return bytes(made.tobytes())


def _slide(title: str, *body: str, number: int = 0, scale: float = 1.0) -> list[Text]:
    """A slide as most programs set it: the title above, the course's name and the slide's number at the foot."""
    rows = [(60.0, 150.0 + 40 * n, 22.0, row) for n, row in enumerate(body)]
    foot = [(60.0, 525.0, 10.0, "DS 101, Autumn"), (900.0, 525.0, 10.0, str(number))] if number else []
    texts = [*([(60.0, 80.0, 36.0, title)] if title else []), *rows, *foot]
    return [(x * scale, y * scale, font * scale, words) for x, y, font, words in texts]


def _deck(*slides: tuple[str, ...], **options: object) -> LoadedDocument:
    pages = [_slide(*texts, number=n) for n, texts in enumerate(slides, start=1)]
    return load("l3.pdf", _pdf(pages, **options))  # type: ignore[arg-type]


def _shape(document: LoadedDocument) -> list[tuple[int, int | None, str]]:
    return [(line.level, line.page, line.text) for line in document.lines if line.text]


def test_a_pages_title_is_its_heading() -> None:
    found = _deck(("Sampling", "why we sample"), ("Bias", "what may go wrong", "and why"), ("Variance", "how far off"))
    assert _shape(found) == [
        *((1, 1, "Sampling"), (0, 1, "why we sample")),
        *((1, 2, "Bias"), (0, 2, "what may go wrong"), (0, 2, "and why")),
        *((1, 3, "Variance"), (0, 3, "how far off")),
    ]
    assert found.complete


@pytest.mark.parametrize(("size", "scale"), [(WIDE, 1.0), (OLD, 0.75), (BEAMER, 0.37)])
def test_slides_of_every_size_are_slides(size: tuple[float, float], scale: float) -> None:
    pages = [
        _slide(title, "some words", "more of them", number=n, scale=scale) for n, title in enumerate("ABCD", start=1)
    ]
    pages = [
        [(x, y, font, f"Part {w}" if len(w) == 1 and w.isalpha() else w) for x, y, font, w in page] for page in pages
    ]
    found = load("l.pdf", _pdf(pages, size))
    assert [line.text for line in found.lines if line.level] == ["Part A", "Part B", "Part C", "Part D"]


def test_a_run_with_one_title_is_one_block_and_builds_are_merged() -> None:
    found = _deck(
        ("Bayes", "prior"), ("Bayes", "prior", "likelihood"), ("Bayes", "prior", "likelihood", "posterior"),
        ("Bayes (cont.)", "an example"), ("Next", "prior"), ("Last", "end"),
    )  # fmt: skip
    assert _shape(found) == [
        *((1, 3, "Bayes"), (0, 3, "prior"), (0, 3, "likelihood"), (0, 3, "posterior"), (0, 4, "an example")),
        *((1, 5, "Next"), (0, 5, "prior"), (1, 6, "Last"), (0, 6, "end")),
    ]


def test_a_deck_that_is_one_long_build_keeps_its_title() -> None:
    rows = ("one", "two", "three", "four")
    found = _deck(*(("Bayes", *rows[: n + 1]) for n in range(4)))
    assert [line.text for line in found.lines if line.text] == ["Bayes", *rows]


def test_a_title_on_two_lines_is_one_heading() -> None:
    long = [(60.0, 60.0, 36.0, "A title that goes on"), (60.0, 100.0, 36.0, "below"), (60.0, 200.0, 22.0, "words")]
    found = load("l.pdf", _pdf([long, _slide("Next", "a"), _slide("Last", "b")]))
    assert [line.text for line in found.lines if line.level] == ["A title that goes on below", "Next", "Last"]


def test_a_slide_without_title_goes_on_with_the_one_before() -> None:
    found = _deck(("Bayes", "prior"), ("", "the picture shows it", "and this too"), ("Next", "a"))
    assert [line.text for line in found.lines if line.level] == ["Bayes", "Next"]


def test_bookmarks_of_parts_are_sections_and_bookmarks_of_slides_are_not() -> None:
    slides = (("Sampling", "a"), ("Bias", "b"), ("Trees", "c"), ("Forests", "d"))
    parts = [(1, "Part one", 1), (1, "Part two", 3)]
    found = _deck(*slides, outline=parts)
    assert [(level, text) for level, _, text in _shape(found) if level] == [
        *((1, "Part one"), (2, "Sampling"), (2, "Bias"), (1, "Part two"), (2, "Trees"), (2, "Forests")),
    ]
    again = _deck(*slides, outline=[(1, texts[0], n) for n, texts in enumerate(slides, start=1)])
    assert [level for level, _, _ in _shape(again) if level] == [1, 1, 1, 1]


def test_a_slide_that_opens_a_part_is_a_heading() -> None:
    opening = [(300.0, 280.0, 44.0, "Regression")]
    found = load("l.pdf", _pdf([_slide("Bias", "a"), opening, _slide("Lines", "b"), _slide("Planes", "c")]))
    assert [line.text for line in found.lines if line.level] == ["Bias", "Regression", "Lines", "Planes"]


def _paper(size: tuple[float, float], font: float, rows: int) -> bytes:
    words = "Compute the mean of the sample and explain what it says about the population."
    heading = [(72.0, 72.0, 1.4 * font, "Question 1")]
    page = [*heading, *((72.0, 100.0 + 1.3 * font * n, font, words) for n in range(rows))]
    return _pdf([page, page, page, page], size)


@pytest.mark.parametrize(
    ("size", "font", "rows"),
    [((612, 792), 11, 40), ((612, 792), 24, 8), ((842, 595), 11, 30), ((792, 612), 12, 25), ((1190, 842), 12, 40)],
)
def test_other_pages_are_not_slides(size: tuple[float, float], font: float, rows: int) -> None:
    assert not load("hw.pdf", _paper(size, font, rows)).complete


def test_pages_of_different_sizes_are_not_slides() -> None:
    made = pymupdf.open()
    for width in (960, 612, 960, 612):
        made.new_page(width=width, height=540).insert_text((60, 80), "Some title", fontsize=30)
    assert not load("l.pdf", made.tobytes()).complete


def test_two_pages_are_too_few_to_tell() -> None:
    assert not is_deck([])
    assert not _deck(("A title", "a"), ("B title", "b")).complete


def test_decks_of_pictures_are_empty() -> None:
    with pytest.raises(EmptyDocument, match="run OCR"):
        load("l.pdf", _pdf([[], [], []]))
