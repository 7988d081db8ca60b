"""Header detection by rules: marked levels, PDF bookmarks, fonts, and the numbering of questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ingestion.document import Header, LineKind, LoadedDocument
from ingestion.numbering import QuestionNumber, read_heading_number, read_number
from ingestion.questions.candidates import find_questions
from ingestion.questions.statements import POINTS_OR_ASKED
from ingestion.solutions.answers import without_answers
from ingestion.solutions.marks import begins_solution, is_solution_marker
from ingestion.titles import end_of_title, title_from_lines
from ingestion.vocabulary import MATTER

QUESTION_RANK = 50
"""Rank of an unmarked question header. Marked headings and headings by font rank above, its parts below."""
_FONT_RANK = 10
_SAME_SIZE = 0.96
"""Fonts of a text differ by less: PDF files state 9.9, 10.0 and 10.1 points for one."""
_MIN_BODY_SHARE = 0.25
"""Of a document's characters: so many are no headings."""
MAX_OUTLINE_LEVEL = 9
"""Deeper bookmarks stand beside those of this level."""
_MAX_HEADING_CHARS = 120
_MAX_ROW_CHARS = 300
"""Of a row in a table of points."""

_POINTS_LINE = re.compile(r"^\W*(?:rubric\W*)?(?:points?|marks?|pts)\s*[:=]\s*\d", re.IGNORECASE)
_POINTS_HEAD = re.compile(
    r"^[\s|]*(?:questions?|problems?|exercises?|parts?|tasks?|aufgaben?|题号)\b[^.?!]{0,40}?[\s|:]+"
    r"(?:max(?:imum)? |your |possible )?(?:points?|scores?|marks?|punkte|puntos|分值|得分)\b[^.?!]{0,40}$",
    re.IGNORECASE,
)
_POINTS_ROW = re.compile(
    r"^(?:[\s|]*+(?:question|problem|total|sum|q))?[\s|.:]*\d{0,2}[a-z]?\)?[\s|:]+[\d.]++[\s|/_\d]*+$|^[-|: ]{3,}$",
    re.IGNORECASE,
)


def detect_by_rule(document: LoadedDocument, *, questions: bool) -> list[Header]:
    """The document's headers in order. `questions` says whether to look for numbered questions (assignments)."""
    headings: dict[int, Header] = {}
    for header in _headings(document, questions):
        headings.setdefault(header.line, header)
    headers = [headings[line] for line in sorted(headings)]
    if questions:
        headers = _with_labels(document, headers)
    if questions and not document.complete:
        labels = {header.line: header.label for header in headers}
        below = [Header(f.line, QUESTION_RANK + f.depth, f.title, f.label) for f in find_questions(document, labels)]
        headers = [*headers, *below] if below or any(labels.values()) else _with_letters(headers)
    headers = sorted(headers, key=lambda header: header.line)
    return without_answers(document, headers) if questions else headers


def _with_labels(document: LoadedDocument, headings: list[Header]) -> list[Header]:
    """The headings with the numbers of questions: named ones, their parts ("### b)"), and bare ones that are asked."""
    numbers = [read_heading_number(header.title) for header in headings]
    if not any(number and number.named for number in numbers):
        numbers = _bare_questions(document, headings, numbers)
    labelled: list[Header] = []
    question: Header | None = None
    for header, number in zip(headings, numbers, strict=True):
        label = _label(number, question, header)
        labelled.append(replace(header, label=label))
        if label and number and (number.named or number.part.isalpha()) and number.question:
            question = labelled[-1]
        elif not label and question and header.rank <= question.rank:
            question = None
    return labelled


def _with_letters(headings: list[Header]) -> list[Header]:
    numbers = [read_heading_number(header.title) for header in headings]
    letters = [number.part if number and number.style == "part" else "" for number in numbers]
    if not {"a", "b"} <= set(letters):
        return headings
    return [replace(h, label=part if part.isalpha() else None) for h, part in zip(headings, letters, strict=True)]


def _label(number: QuestionNumber | None, question: Header | None, header: Header) -> str | None:
    if number is None or is_solution_marker(number.rest):
        return None
    if number.named or (number.question and number.part.isalpha()):
        return number.label
    if question is None or question.label is None:
        return None
    if number.question:
        # "1.2" below "Exercise 1" is its part; a section's number beside it is not.
        inside = header.rank > question.rank and number.part != "" and number.question == question.label
        return number.label if inside else None
    # "Part 2" beside a question is a section; "(b)" beside one is its part all the same.
    inside = header.rank > question.rank or (header.rank == question.rank and number.style != "part")
    return question.label + number.part if inside else None


def _bare_questions(
    document: LoadedDocument, headings: list[Header], numbers: list[QuestionNumber | None]
) -> list[QuestionNumber | None]:
    """Headings numbered "1.", "2." are questions where most of their level ask for something or have parts."""
    asked: dict[int, list[bool]] = {}
    bare = [n for n, number in enumerate(numbers) if number and number.question and not number.part.isalpha()]
    for index in bare:
        asked.setdefault(headings[index].rank, []).append(_is_asked(document, headings, numbers, index))
    wanted = {rank for rank, answers in asked.items() if 2 * sum(answers) >= len(answers)}
    for index in bare:
        number = numbers[index]
        if number and headings[index].rank in wanted:
            numbers[index] = replace(number, named=True)
    return numbers


def _is_asked(
    document: LoadedDocument, headings: list[Header], numbers: list[QuestionNumber | None], index: int
) -> bool:
    following = headings[index + 1] if index + 1 < len(headings) else None
    below = headings[index].line + 1
    opening = document.lines[below : min(below + 2, following.line if following else below + 2)]
    if POINTS_OR_ASKED.search(headings[index].title) or any(_POINTS_LINE.search(line.text) for line in opening):
        return True
    if following and following.rank > headings[index].rank and (number := numbers[index + 1]) and number.part.isalpha():
        return True
    end = following.line if following else len(document.lines)
    lines = document.lines[headings[index].line + 1 : end]
    inside = (read_number(line.text) for line in lines if line.kind is LineKind.PROSE)
    first = next((number for number in inside if number and (number.question or number.part == "a")), None)
    return first is not None and not first.question and first.style in ("(a)", "a)")


def _headings(document: LoadedDocument, questions: bool) -> Iterator[Header]:
    marked = [
        Header(number, line.level, line.text.strip())
        for number, line in enumerate(document.lines)
        if line.level and line.text.strip() and not (questions and (line.closed or begins_solution(line)))
    ]
    if marked or document.complete:
        yield from marked
    elif document.outline:
        yield from _by_outline(document)
    else:
        yield from _by_font(document)
        yield from _by_underline(document, questions)
        if questions:
            yield from _by_wording(document)


def _by_outline(document: LoadedDocument) -> Iterator[Header]:
    """PDF bookmarks, each placed at the line on its page that reads the same."""
    by_page: dict[int, dict[str, int]] = {}
    for number, line in enumerate(document.lines):
        by_page.setdefault(line.page or 0, {}).setdefault(_squeeze(line.text), number)
    lengths = {page: sorted({len(words) for words in lines} - {0}) for page, lines in by_page.items()}
    for entry in document.outline:
        lines = by_page.get(entry.page, {})
        wanted = _squeeze(entry.title)
        match = lines.get(wanted)
        if match is None:
            # The first line with which the title begins. A page has few different lengths of lines.
            beginnings = (wanted[:length] for length in lengths.get(entry.page, []))
            match = min((lines[words] for words in beginnings if words in lines), default=None)
        if match is not None:
            yield Header(match, min(entry.level, MAX_OUTLINE_LEVEL), entry.title.strip())


def _by_font(document: LoadedDocument) -> Iterator[Header]:
    weights, sizes = _font_sizes(document)
    body = _body_size(weights)
    if body is None:
        return
    common = weights.most_common(1)[0][0]
    larger = sorted((size for size in weights if size > 1.12 * body), reverse=True)
    ranks = {size: _FONT_RANK + min(rank, 8) for rank, size in enumerate(larger)}
    last = -1
    for number, line in enumerate(document.lines):
        text = line.text.strip()
        if number <= last or not _could_be_heading(text) or is_solution_marker(text):
            continue
        size = sizes.get(round(line.size, 1), 0.0)
        if size in ranks:
            last = end_of_title(document.lines, number)
            yield Header(number, ranks[size], title_from_lines(document.lines, number))
        elif line.bold and size >= common and _is_bold_heading(text):
            yield Header(number, _FONT_RANK + 9, text)


def _is_bold_heading(text: str) -> bool:
    """Whether a bold line is no part of a sentence in bold."""
    return text[-1] not in ".:,;" and not text[0].islower() and not read_number(text)


def _font_sizes(document: LoadedDocument) -> tuple[Counter[float], dict[float, float]]:
    """Characters by font size, sizes that differ by little as one, and for each size the one that it counts as."""
    weights: Counter[float] = Counter()
    for line in document.lines:
        if line.size:
            weights[round(line.size, 1)] += len(line.text)
    sizes: dict[float, float] = {}
    largest = 0.0
    for size in sorted(weights, reverse=True):
        largest = size if size < _SAME_SIZE * largest or not largest else largest
        sizes[size] = largest
    joint: Counter[float] = Counter()
    for size, weight in weights.items():
        joint[sizes[size]] += weight
    return joint, sizes


def _body_size(weights: Counter[float]) -> float | None:
    """The largest size in which much of a document is set; None where its sizes are all over, as in OCR."""
    total = sum(weights.values())
    if not total or max(weights.values()) < _MIN_BODY_SHARE * total:
        return None
    return max(size for size, weight in weights.items() if weight >= _MIN_BODY_SHARE * total)


def _by_underline(document: LoadedDocument, questions: bool) -> Iterator[Header]:
    """Plain-text headings underlined with = or -, and decimal section numbers on a line of their own.

    Among questions, a numbered line that asks is one of them.
    """
    ends = ".,;:?？" if questions else ".,;:"
    lines = document.lines
    for number, line in enumerate(lines[:-1]):
        text = line.text.strip()
        if line.size or line.kind is not LineKind.PROSE or not _could_be_heading(text):
            continue
        under = lines[number + 1].text.strip()
        if len(under) >= 3 and set(under) in ({"="}, {"-"}) and abs(len(under) - len(text)) <= 3:
            yield Header(number, 1 if under[0] == "=" else 2, text)
        elif (match := re.match(r"^(\d+(?:\.\d+)+)\s+[^\W\d_]", text)) and text[-1] not in ends:
            yield Header(number, 1 + match[1].count("."), text)


def _by_wording(document: LoadedDocument) -> Iterator[Header]:
    lines, last = document.lines, -2
    for number, line in enumerate(lines):
        if line.kind is LineKind.PROSE and len(line.text) <= _MAX_HEADING_CHARS:
            rows = lines[number + 1 : number + 5]
            is_table = _POINTS_HEAD.match(line.text) and sum(_is_points_row(row.text) for row in rows) >= 2
            # A table right below "Score breakdown" has its heading.
            if MATTER.fullmatch(line.text.strip()) or (is_table and number > last + 2):
                yield Header(number, QUESTION_RANK - 1, line.text.strip())
                last = number


def _is_points_row(text: str) -> bool:
    return len(text) <= _MAX_ROW_CHARS and bool(_POINTS_ROW.match(text))


def _could_be_heading(text: str) -> bool:
    return 2 < len(text) <= _MAX_HEADING_CHARS and any(character.isalpha() for character in text)


def _squeeze(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
