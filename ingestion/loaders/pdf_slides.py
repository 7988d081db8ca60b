"""Slides exported as PDF: nearly all pages are wide and hold little, large text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from ingestion.document import Line, OutlineEntry
from ingestion.loaders.pdf_margins import MARGIN, PdfPage, without_running_lines
from ingestion.loaders.slides import Slide, deck_lines

MIN_SLIDES = 3
MIN_RATIO, MAX_RATIO = 1.2, 1.9
"""Width over height: 5:4 to 16:9, with some room."""
MIN_TEXT_HEIGHT = 0.025
"""Font size of most of a page's text, as a share of the page's height: slides have 0.03 to 0.05, a landscape page of
12 points has 0.02."""
MAX_CHARS = 1_200
"""Of a page in the middle of the deck, by length."""
MIN_SHARE = 0.9
"""Of the pages, that must be of one size."""
TITLE_ZONE = 0.35
"""Share of the page's height, from its top, in which a title begins."""
MIN_TITLE_RATIO = 1.08
"""A title's font size over that of the rest of its slide."""
MAX_TITLE_LINES = 3
MAX_TITLE_CHARS = 200
_WORD = re.compile(r"[^\W\d_]{2}")


def is_deck(pages: Sequence[PdfPage]) -> bool:
    """Whether a PDF's pages are slides."""
    filled = [page for page in pages if page.lines]
    if len(filled) < MIN_SLIDES:
        return False
    (size, count), *_ = Counter((round(page.width), round(page.height)) for page in pages).most_common(1)
    if count < MIN_SHARE * len(pages) or not size[1] or not MIN_RATIO <= size[0] / size[1] <= MAX_RATIO:
        return False
    bodies = [_above_foot(page) for page in filled]
    chars = median(sum(len(line.text) for line in page.lines) for page in filled)
    heights = [_common_size(body) / page.height for page, body in zip(filled, bodies, strict=True) if body]
    if not heights:
        return False
    return chars <= MAX_CHARS and median(heights) >= MIN_TEXT_HEIGHT


def _above_foot(page: PdfPage) -> list[Line]:
    return [line for line in page.lines if _top(line) < (1 - MARGIN) * page.height]


def slides_of(pages: Sequence[PdfPage], outline: Sequence[OutlineEntry]) -> list[Line]:
    """A deck's lines, titles as headings; other bookmarks are sections."""
    body = _body_size(pages)
    titles = {page.number: _title_lines(page, body) for page in pages}
    # A title that stands on most pages is no running header.
    bodies = without_running_lines([_without(page, titles[page.number]) for page in pages])
    running = _running_titles(pages, titles)
    sections = dict(_sections(outline, {number: _join(lines) for number, lines in titles.items()}))
    slides = [
        Slide(
            page.number,
            "" if _join(titles[page.number]) in running else _join(titles[page.number]),
            tuple(body),
            section=sections.get(page.number, ""),
        )
        for page, body in zip(pages, bodies, strict=True)
    ]
    return list(deck_lines(slides))


def _without(page: PdfPage, lines: Sequence[Line]) -> PdfPage:
    left_out = {id(line) for line in lines}
    return PdfPage(page.number, page.height, [one for one in page.lines if id(one) not in left_out], page.width)


def _body_size(pages: Sequence[PdfPage]) -> float:
    below: list[Line] = []
    for page in pages:
        limit = max((line.size for line in page.lines), default=0.0) / MIN_TITLE_RATIO
        below.extend(line for line in _above_foot(page) if line.size < limit)
    return _common_size(below)


def _title_lines(page: PdfPage, body: float) -> list[Line]:
    worded = [line for line in _above_foot(page) if line.box and _WORD.search(line.text)]
    if not worded:
        return []
    zone = [line for line in worded if _top(line) < TITLE_ZONE * page.height]
    largest = max(worded, key=lambda line: (line.size, -_top(line)))
    if largest not in zone and len(worded) > MAX_TITLE_LINES:
        largest = max(zone, key=lambda line: (line.size, -_top(line)), default=largest)
    title = list(_beside(largest, page))
    rest = [line for line in worded if line not in title]
    larger = largest.size >= MIN_TITLE_RATIO * max(body, _common_size(rest))
    stands_out = larger or (largest.bold and largest == worded[0] and not all(line.bold for line in worded))
    return title if stands_out and len(_join(title)) <= MAX_TITLE_CHARS else []


def _beside(first: Line, page: PdfPage) -> Iterator[Line]:
    last = first
    count = 0
    for line in sorted((one for one in page.lines if one.box), key=_top):
        follows = line is first or (
            count and abs(line.size - first.size) < 0.5 and _top(line) - _top(last) < 2 * first.size
        )
        if follows and count < MAX_TITLE_LINES and line.bold == first.bold:
            yield line
            last, count = line, count + 1


def _top(line: Line) -> float:
    return line.box[1] if line.box else 0.0


def _common_size(lines: Sequence[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _join(lines: Sequence[Line]) -> str:
    return " ".join(line.text.strip() for line in lines)


def _running_titles(pages: Sequence[PdfPage], titles: dict[int, list[Line]]) -> set[str]:
    counts = Counter(_join(lines) for lines in titles.values() if lines)
    differ = len({tuple(line.text for line in page.lines) for page in pages}) > MIN_SLIDES
    return {title for title, count in counts.items() if differ and len(pages) >= 8 and count > MIN_SHARE * len(pages)}


def _sections(outline: Sequence[OutlineEntry], titles: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Bookmarks of the highest level, by page, unless bookmarks are the titles once more."""
    top = [entry for entry in outline if entry.level == min(entry.level for entry in outline)]
    same = sum(_fold(entry.title) == _fold(titles.get(entry.page, "")) for entry in top)
    if len(top) >= 2 and 2 * same < len(top):
        yield from ((entry.page, entry.title) for entry in top)


def _fold(text: str) -> str:
    return "".join(text.casefold().split())
