"""Running headers, footers and page numbers: lines in the margins that repeat on most pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from ingestion.document import Line
from ingestion.naming.names import says_printed_solution

MIN_PAGES = 3
MARGIN = 0.12
"""Share of the page's height, at its top and at its foot, in which lines can be running ones."""

HEIGHT_TOLERANCE = 4.0
MIN_SIDE_SHARE = 0.6
"""Books print one header on left pages and another on right pages."""

OPENING_LINES = 8
"""First lines of a document, among which its title stands."""
_PAGE_OF = re.compile(
    r"(?:page|seite|página|p\.)\s*\d+(?:\s*(?:of|/|von|de)\s*\d+)?|\d+\s*(?:/|of|von|de)\s*\d+|[-–]\s*\d+\s*[-–]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+|^[ivxlc]+$")
_QUESTION = re.compile(
    r"(?:question|problem|exercise|task|part|section|chapter|lecture|week|q)\W{0,2}\d", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page's lines, with its height and width in points."""

    number: int
    height: float
    lines: list[Line]
    width: float = 0.0


def without_running_lines(pages: Sequence[PdfPage]) -> list[list[Line]]:
    """The pages' lines without running ones; below three pages, without page numbers only."""
    if len(pages) < MIN_PAGES:
        opening = [line.text for line in pages[0].lines[:OPENING_LINES]] if pages else []
        return [[line for line in page.lines if not _names_its_page(line, page, opening)] for page in pages]
    emphasised = _Emphasis.against_body(line for page in pages for line in page.lines)
    running: set[int] = set()
    for lines in _alike(pages).values():
        height = median(top(line) for line in lines)
        level = [line for line in lines if abs(top(line) - height) <= HEIGHT_TOLERANCE]
        if _on_most_pages({line.page or 0 for line in level}, len(pages)) and not _counts_content(level, emphasised):
            running.update(id(line) for line in level)
    kept = [
        [line for line in page.lines if id(line) not in running and not _is_own_number(line, page)] for page in pages
    ]
    # Where a web page was printed, its address stands on each: once it is kept if it says that this is a solution.
    printed = next((line for line in pages[0].lines if id(line) in running and says_printed_solution(line.text)), None)
    return [[printed, *kept[0]], *kept[1:]] if printed else kept


def _names_its_page(line: Line, page: PdfPage, opening: Sequence[str]) -> bool:
    """True for a page's number in its margin, and for the document's title with that number ("Worksheet 6 2")."""
    if not _in_margin(line, page) or _QUESTION.match(line.text):
        return False
    if line.text == str(page.number) or _PAGE_OF.fullmatch(line.text):
        return True
    title = re.sub(rf"\s{page.number}$|^{page.number}\s", "", line.text).strip()
    others = (text for text in opening if text != line.text)
    return title != line.text and len(title) > 3 and any(text.startswith(title) for text in others)


def _is_own_number(line: Line, page: PdfPage) -> bool:
    return line.text == str(page.number) and _in_margin(line, page)


def _in_margin(line: Line, page: PdfPage) -> bool:
    _, y0, _, y1 = line.box or (0.0, 0.0, 0.0, 0.0)
    return y1 < MARGIN * page.height or y0 > (1 - MARGIN) * page.height


def _alike(pages: Sequence[PdfPage]) -> dict[tuple[str, bool], list[Line]]:
    groups: defaultdict[tuple[str, bool], list[Line]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if _in_margin(line, page):
                groups[_NUMBER.sub("#", line.text), top(line) < page.height / 2].append(line)
    return groups


def top(line: Line) -> float:
    """A line's upper edge in points; 0 without a box."""
    return line.box[1] if line.box else 0.0


def _on_most_pages(numbers: set[int], pages: int) -> bool:
    if 2 * len(numbers) > pages:
        return True
    right = sum(number % 2 for number in numbers)
    sides = ((right, (pages + 1) // 2), (len(numbers) - right, pages // 2))
    return any(count >= MIN_PAGES and count > MIN_SIDE_SHARE * total for count, total in sides)


def _counts_content(lines: list[Line], emphasised: _Emphasis) -> bool:
    """True for "Question 1", "Question 2" ... at the head of each page: numbered, but not by pages."""
    if any(_QUESTION.match(line.text) for line in lines):
        return True
    return len({line.text for line in lines}) > 1 and any(emphasised.holds(line) for line in lines)


@dataclass(frozen=True, slots=True)
class _Emphasis:
    """Font size and weight of most of a document's text; headings differ from it."""

    size: float
    bold: bool

    @classmethod
    def against_body(cls, lines: Iterable[Line]) -> _Emphasis:
        styles: Counter[tuple[float, bool]] = Counter()
        for line in lines:
            styles[line.size, line.bold] += len(line.text)
        (size, bold), _ = max(styles.items(), key=lambda item: item[1], default=((0.0, False), 0))
        return cls(size, bold)

    def holds(self, line: Line) -> bool:
        return line.size > 1.1 * self.size or (line.bold and not self.bold)
