"""Header detection: by rule, or by a language model with the rule to fall back on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from core.errors import ModelError
from core.llm.base import LLM
from core.types import Usage
from ingestion.document import Header, Line, LoadedDocument
from ingestion.numbering import read_number
from ingestion.questions.headers import QUESTION_RANK, detect_by_rule
from ingestion.solutions.answers import without_answers
from ingestion.tasks import DetectedHeader, DetectHeaders

CHUNK_LINES = 160
OVERLAP_LINES = 20
"""Chunks overlap, so that a header at a border is seen whole, with text after it, by one of the two."""


@dataclass(frozen=True)
class Detection:
    """Headers in order, what finding them cost, and what went wrong on the way."""

    headers: list[Header]
    usage: Usage = field(default_factory=Usage)
    warnings: list[str] = field(default_factory=list)


class HeaderDetector(Protocol):
    def calls(self, document: LoadedDocument) -> int:
        """How many model calls the document will take."""
        ...

    def prompt_chars(self, document: LoadedDocument) -> int:
        """About how many characters these calls will send."""
        ...

    async def detect(self, document: LoadedDocument, *, questions: bool) -> Detection: ...


class RuleDetector:
    def calls(self, document: LoadedDocument) -> int:
        return 0

    def prompt_chars(self, document: LoadedDocument) -> int:
        return 0

    async def detect(self, document: LoadedDocument, *, questions: bool) -> Detection:
        return Detection(detect_by_rule(document, questions=questions))


class ModelDetector:
    """Asks a model about overlapping chunks at once; failed chunks are done by rule and reported.

    Nothing is asked of a document that marks its headings, as Markdown does.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def calls(self, document: LoadedDocument) -> int:
        return 0 if document.marks_headings else sum(1 for _ in _chunks(len(document.lines)))

    def prompt_chars(self, document: LoadedDocument) -> int:
        return self.calls(document) * len(DetectHeaders.instructions) + len(document.text)

    async def detect(self, document: LoadedDocument, *, questions: bool) -> Detection:
        by_rule = detect_by_rule(document, questions=questions)
        if document.marks_headings:
            return Detection(by_rule)
        chunks = list(_chunks(len(document.lines)))
        body = _body_size(document.lines)
        parts = await asyncio.gather(*(self._chunk(document, start, end, body, by_rule) for start, end in chunks))
        merged: dict[int, Header] = {}
        for part in parts:
            for header in part.headers:
                merged.setdefault(header.line, header)
        headers = _with_full_labels([merged[line] for line in sorted(merged)])
        return Detection(
            without_answers(document, headers) if questions else headers,
            sum((part.usage for part in parts), Usage()),
            [warning for part in parts for warning in part.warnings],
        )

    async def _chunk(
        self, document: LoadedDocument, start: int, end: int, body: float, by_rule: list[Header]
    ) -> Detection:
        task = DetectHeaders(document=document.title, lines=_number_lines(document.lines, start, end, body))
        try:
            reply = await self._llm.run(task)
        except ModelError as error:
            headers = [header for header in by_rule if start <= header.line < end]
            return Detection(headers, warnings=[f"Lines {start + 1} to {end}: headers found by rule, because: {error}"])
        headers = [
            _header(detected, document)
            for detected in reply.value.headers
            if start <= detected.line - 1 < end and _may_head(document.lines[detected.line - 1])
        ]
        strays = len(reply.value.headers) - len(headers)
        warnings = [f"Lines {start + 1} to {end}: {strays} header(s) outside the chunk ignored."] if strays else []
        return Detection(headers, reply.usage, warnings)


def _may_head(line: Line) -> bool:
    """Headings are shown to students."""
    return bool(line.text.strip()) and not line.staff


def _chunks(lines: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < lines:
        end = min(start + CHUNK_LINES, lines)
        yield start, end
        if end == lines:
            return
        start = end - OVERLAP_LINES


def _number_lines(lines: tuple[Line, ...], start: int, end: int, body: float) -> str:
    return "\n".join(f"{n + 1}|{_mark(lines[n], body)} {lines[n].text[:200]}" for n in range(start, end))


def _body_size(lines: tuple[Line, ...]) -> float:
    sizes = sorted(line.size for line in lines if line.size)
    return sizes[len(sizes) // 2] if sizes else 0.0


def _mark(line: Line, body: float) -> str:
    return "#" * line.level + ("+" if body and line.size > 1.12 * body else "") + ("*" if line.bold else "")


_RANKS = {"question": QUESTION_RANK, "part": QUESTION_RANK + 1, "subpart": QUESTION_RANK + 2}


def _header(detected: DetectedHeader, document: LoadedDocument) -> Header:
    line = document.lines[detected.line - 1]
    number = read_number(line.text) if detected.kind != "section" else None
    rank = _RANKS.get(detected.kind, min(max(detected.level, 1), QUESTION_RANK - 1))
    return Header(
        detected.line - 1, rank, detected.title.strip() or line.text.strip()[:80], number.label if number else None
    )


def _with_full_labels(headers: list[Header]) -> list[Header]:
    """Parts that are printed as "(a)" get the number of their question in front."""
    question = ""
    full: list[Header] = []
    for header in headers:
        if header.rank == QUESTION_RANK:
            question = header.label or ""
        elif header.rank < QUESTION_RANK:
            question = ""
        elif header.label and header.label.isalpha():
            header = Header(header.line, header.rank, header.title, question + header.label)
        full.append(header)
    return full
