"""Pages of questions and answers ("Q: ... A: ...") whose questions are not marked as headings."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from ingestion.document import Line, LineKind, LoadedDocument

MIN_PAIRS = 2
"""Fewer may be an exchange that a text quotes."""
_MAX_TITLE_CHARS = 200
_ASKED = re.compile(
    r"^\W*(?:Q(?:uestion)?\s?\d{0,3}|Frage|Pregunta)\s?[:.)][\s*_]*(?P<words>.*\w.*?)[\s*_]*$", re.IGNORECASE
)
_ANSWERED = re.compile(r"^\W*(?:A(?:nswer)?\s?\d{0,3}|Antwort|Respuesta)\s?[:.)][\s*_]*(?P<words>.*)$", re.IGNORECASE)


def with_pairs(document: LoadedDocument) -> LoadedDocument:
    """The document with each question a heading, and answers without "A:"."""
    if document.complete:
        return document
    lines = list(document.lines)
    asked = [n for n, line in enumerate(lines) if _matches(_ASKED, line)]
    answers = [_answer(lines, number + 1, end) for number, end in pairwise([*asked, len(lines)])]
    if sum(answer > 0 for answer in answers) < MIN_PAIRS:
        return document
    level = 1 + max((line.level for line in lines), default=0)
    for number, answer in zip(asked, answers, strict=True):
        if answer:
            lines[number] = _without_letter(_ASKED, replace(lines[number], level=level))
            lines[answer] = _without_letter(_ANSWERED, lines[answer])
    return replace(document, lines=tuple(lines))


def _answer(lines: list[Line], start: int, end: int) -> int:
    return next((n for n in range(start, end) if _matches(_ANSWERED, lines[n])), 0)


def _matches(pattern: re.Pattern[str], line: Line) -> bool:
    is_short = pattern is _ANSWERED or len(line.text) <= _MAX_TITLE_CHARS
    return line.kind is LineKind.PROSE and not line.level and is_short and bool(pattern.match(line.text))


def _without_letter(pattern: re.Pattern[str], line: Line) -> Line:
    match = pattern.match(line.text)
    return replace(line, text=match["words"]) if match else line
