"""Header detection without a model: marked levels, PDF bookmarks, fonts, and the numbering of questions.

The model's way stands in `ingestion/detection.py`; both return the same `Header` values.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from ingestion.document import LineKind, LoadedDocument
from ingestion.numbering import Depth, Number, read_number

QUESTION_RANK = 50
"""Rank of an unmarked question header. Marked headings and headings by font rank above, its parts below."""
_FONT_RANK = 10
MAX_OUTLINE_LEVEL = 9
"""Deeper bookmarks stand beside those of this level."""
_MAX_HEADING_CHARS = 120
_SOLUTION = re.compile(
    r"^[\W_]*(?:staff |sample |model )?(?:solutions?|answers?|sol|lösung|solución|réponse|答案|解答)\s*"
    r"(?:\(?\d*[a-z]?\)?)\s*(?:[:.*_]|$|(?:to|for|of)\b[^.]{0,40}:)"
    r"|^[\W_]*BEGIN SOLUTION\b|^(?-i:[\W_]*SOLUTION\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Header:
    """A header at a line. A smaller `rank` stands higher; `label` is the question's number ("3a") or none."""

    line: int
    rank: int
    title: str
    label: str | None = None


def is_solution_marker(text: str) -> bool:
    """True for a line that begins a solution ("**Solution.** ...", "Answer:", "### Solution")."""
    return bool(_SOLUTION.match(text.strip()))


def detect_by_rule(document: LoadedDocument, *, questions: bool) -> list[Header]:
    """The document's headers in order. `questions` says whether to look for numbered questions (assignments)."""
    found: dict[int, Header] = {}
    for header in _headings(document, questions):
        found.setdefault(header.line, header)
    if questions and not document.complete:
        for header in _questions(document, found):
            found[header.line] = header
    return [found[line] for line in sorted(found)]


def _headings(document: LoadedDocument, questions: bool) -> Iterator[Header]:
    marked = [
        Header(number, line.level, line.text.strip(), _label(line.text))
        for number, line in enumerate(document.lines)
        if line.level and line.text.strip() and not (questions and is_solution_marker(line.text))
    ]
    if marked or document.complete:
        yield from marked
    elif document.outline:
        yield from _by_outline(document)
    else:
        yield from _by_font(document)
        yield from _by_underline(document)


def _label(text: str) -> str | None:
    number = read_number(text)
    return number.label if number and number.named else None


def _by_outline(document: LoadedDocument) -> Iterator[Header]:
    """PDF bookmarks, each placed at the line on its page that reads the same."""
    by_page: dict[int, list[int]] = {}
    for number, line in enumerate(document.lines):
        by_page.setdefault(line.page or 0, []).append(number)
    for entry in document.outline:
        lines = by_page.get(entry.page, [])
        wanted = _squeeze(entry.title)
        match = next((n for n in lines if _squeeze(document.lines[n].text) == wanted), None)
        if match is None:
            match = next(
                (n for n in lines if wanted and wanted.startswith(_squeeze(document.lines[n].text) or "\0")), None
            )
        if match is not None:
            yield Header(match, min(entry.level, MAX_OUTLINE_LEVEL), entry.title.strip(), _label(entry.title))


def _by_font(document: LoadedDocument) -> Iterator[Header]:
    """Lines set larger than the text, ranked by size, and short bold lines below them."""
    weights: Counter[float] = Counter()
    for line in document.lines:
        if line.size:
            weights[round(line.size, 1)] += len(line.text)
    if not weights:
        return
    body = weights.most_common(1)[0][0]
    sizes = sorted((size for size in weights if size > 1.12 * body), reverse=True)
    for number, line in enumerate(document.lines):
        text = line.text.strip()
        if not _could_be_heading(text) or is_solution_marker(text):
            continue
        if (size := round(line.size, 1)) in sizes:
            yield Header(number, _FONT_RANK + min(sizes.index(size), 8), text, _label(text))
        elif line.bold and size >= body and text[-1] not in ".:,;" and not read_number(text):
            yield Header(number, _FONT_RANK + 9, text)


def _by_underline(document: LoadedDocument) -> Iterator[Header]:
    """Plain-text headings underlined with = or -, and decimal section numbers on a line of their own."""
    lines = document.lines
    for number, line in enumerate(lines[:-1]):
        text = line.text.strip()
        if line.size or line.kind is not LineKind.PROSE or not _could_be_heading(text):
            continue
        under = lines[number + 1].text.strip()
        if len(under) >= 3 and set(under) in ({"="}, {"-"}) and abs(len(under) - len(text)) <= 3:
            yield Header(number, 1 if under[0] == "=" else 2, text, _label(text))
        elif (match := re.match(r"^(\d+(?:\.\d+)+)\s+[^\W\d_]", text)) and text[-1] not in ".,;:":
            yield Header(number, 1 + match[1].count("."), text)


def _could_be_heading(text: str) -> bool:
    return 2 < len(text) <= _MAX_HEADING_CHARS and any(character.isalpha() for character in text)


def _squeeze(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


@dataclass(frozen=True, slots=True)
class _Candidate:
    line: int
    indent: float
    number: Number


def _questions(document: LoadedDocument, headings: dict[int, Header]) -> Iterator[Header]:
    candidates = list(_candidates(document, headings))
    named = [candidate for candidate in candidates if candidate.number.named]
    if named or any(header.label for header in headings.values()):
        top = _named(named)
    else:
        top = _numbered(document, [c for c in candidates if c.number.depth is Depth.QUESTION], headings)
    borders = [*sorted({header.line for header in top} | set(headings)), len(document.lines)]
    places = [candidate.line for candidate in candidates]
    yield from top
    for header in [*top, *(h for h in headings.values() if h.label)]:
        end = borders[bisect_right(borders, header.line)]
        inside = candidates[bisect_right(places, header.line) : bisect_left(places, end)]
        if header.label and header.label.isdigit():
            yield from _parts(document, header, inside, end)


def _candidates(document: LoadedDocument, headings: dict[int, Header]) -> Iterator[_Candidate]:
    for number, line in enumerate(document.lines):
        if line.kind is not LineKind.PROSE or number in headings:
            continue
        found = read_number(line.text)
        if found:
            indent = line.box[0] if line.box else float(len(line.text) - len(line.text.lstrip()))
            yield _Candidate(number, indent, found)


def _named(candidates: list[_Candidate]) -> list[Header]:
    return [Header(c.line, QUESTION_RANK + c.number.depth, _title(c.number), c.number.label) for c in candidates]


def _numbered(document: LoadedDocument, candidates: list[_Candidate], headings: dict[int, Header]) -> list[Header]:
    """Questions numbered "1.", "2.": a rising sequence at the outermost indent, with text of its own under each.

    Numbering may restart under a new heading.
    """
    if not candidates:
        return []
    outermost = min(candidate.indent for candidate in candidates)
    rising: list[_Candidate] = []
    previous, start_line = 0, -1
    for candidate in candidates:
        value = int(candidate.number.question)
        restarted = any(start_line < line < candidate.line for line in headings)
        if candidate.indent > outermost + 12 or not (value == previous + 1 or (value == 1 and restarted)):
            continue
        rising.append(candidate)
        previous, start_line = value, candidate.line
    if not _has_content(document, rising):
        return []
    return [Header(c.line, QUESTION_RANK + c.number.depth, _title(c.number), c.number.label) for c in rising]


def _parts(document: LoadedDocument, question: Header, inside: list[_Candidate], end: int) -> Iterator[Header]:
    """Parts "(a)", "(b)" of one question: consecutive letters from a on, at one indent."""
    expected, indent = ord("a"), None
    found: list[_Candidate] = []
    for candidate in inside:
        number = candidate.number
        if number.question or number.part != chr(expected) or (indent is not None and candidate.indent > indent + 12):
            continue
        indent = candidate.indent if indent is None else indent
        found.append(candidate)
        expected += 1
    lines = document.lines
    apart = len(found) > 1 and all(not lines[candidate.line - 1].text.strip() for candidate in found)
    if lines[question.line].box is None and not apart and not _has_content(document, found, end):
        return
    for candidate in found:
        label = f"{question.label}{candidate.number.part}"
        yield Header(candidate.line, QUESTION_RANK + Depth.PART, _title(candidate.number), label)


def _has_content(document: LoadedDocument, candidates: list[_Candidate], end: int | None = None) -> bool:
    """True where items have text of their own, as questions do and the entries of a list do not."""
    if len(candidates) < 2:
        return bool(candidates) and (document.lines[candidates[0].line].box is not None)
    borders = [*(c.line for c in candidates), end if end is not None else len(document.lines)]
    return mean(_lines_between(document, borders)) >= 2


def _lines_between(document: LoadedDocument, borders: list[int]) -> Iterable[int]:
    for first, last in pairwise(borders):
        yield last - first


def _title(number: Number) -> str:
    """A short title: the number as printed and the first words behind it."""
    shown = (
        f"Question {number.label}" if number.named else f"{number.question}." if number.question else f"({number.part})"
    )
    rest = number.rest.strip(" *_:")
    words = rest if len(rest) <= 80 else rest[:80].rsplit(" ", 1)[0] + " …"
    return f"{shown} {words}".strip() if not number.named or not words else f"{shown}: {words}"
