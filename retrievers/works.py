"""Works that students hand in or sit, wherever a text names them: "HW1 part 2", "third homework", "the final"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.number_words import with_digits
from retrievers.names import TO_HAND_IN, spans_of_works

MAX_LINE_CHARS = 1_500
_NO_WORK_KINDS = frozenset(("lecture", "week", "chapter", "section", "discussion"))
"""Kinds that are read, numbered, and never handed in."""
_PART = re.compile(
    r"[\s,:(–-]*(?:part|phase|milestone|checkpoint|teil|parte|partie|deel)\s*#?(?P<part>\d{1,2}|[a-h])\b"
)
_UNNUMBERED = re.compile(
    r"(?<![^\W\d_])(?P<kind>final|mid-?term|term|capstone)(?:\s+(?P<form>exam|examination|project|paper|report|essay|"
    r"presentation|quiz|test))?(?![^\W\d_]|\s*#?\d)"
)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_DECORATION = re.compile(r"<[^<>]{0,300}>|\]\([^()\s]{0,500}\)|[*_`\[\]{}#]+")
_PAPERS = frozenset(("project", "paper", "report", "essay", "presentation"))
_NO_NAME = re.compile(
    r"\s+(?!exams?\b|is\b|was\b|on\b|at\b|in\b|will\b|due\b|date\b|and\b|or\b|klausur|examen)[^\W\d_]+", re.IGNORECASE
)
"""Behind a bare "final": what it is the final one of ("final submission")."""
EXAMS = frozenset(("midterm", "prelim", "exam", "test"))


@dataclass(frozen=True, slots=True)
class WorkName:
    """A work in a text at `start` to `end`: its kind and number ("homework", "3"), or only a title."""

    kind: str
    number: str = ""
    title: str = ""
    start: int = 0
    end: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others."""
        return self.kind, self.number, "" if self.kind else self.title.casefold()

    @property
    def name(self) -> str:
        """For people, in English."""
        words = f"{self.kind} {self.number}".strip()
        return words[:1].upper() + words[1:] if words else self.title


def kinds_like(kind: str) -> frozenset[str]:
    """The kinds that students take for one another."""
    if kind in TO_HAND_IN:
        return frozenset(TO_HAND_IN)
    return EXAMS if kind in EXAMS else frozenset((kind,))


def works_in(text: str) -> list[WorkName]:
    """The works that a text names, in order. `text` is as `plain_line` gives it."""
    folded = text.casefold()
    works: list[WorkName] = []
    for start, end, work in spans_of_works(folded):
        kind, _, number = work.rpartition(" ")
        if part := _PART.match(folded, end):
            number, end = f"{number} part {part['part']}", part.end()
        if kind not in _NO_WORK_KINDS:
            works.append(WorkName(kind, number, start=start, end=end))
    for match in _UNNUMBERED.finditer(folded):
        is_bare = match["kind"] in ("final", "term", "capstone") and not match["form"]
        if is_bare and (match["kind"] != "final" or _NO_NAME.match(folded, match.end())):
            continue
        if not any(work.start < match.end() and match.start() < work.end for work in works):
            works.append(WorkName(_unnumbered_kind(match), start=match.start(), end=match.end()))
    return sorted(works, key=lambda work: work.start)


def _unnumbered_kind(match: re.Match[str]) -> str:
    kind, form = match["kind"].replace("-", ""), match["form"]
    if kind == "midterm":
        return f"midterm {form}" if form in _PAPERS else "midterm"
    if kind == "final" and form in (None, "exam", "examination", "test"):
        return "final exam"
    return f"{kind} {form}" if form else kind


def plain_line(line: str) -> str:
    """The line without markup, its works numbered in digits."""
    text = _BREAK.sub(" ; ", line[:MAX_LINE_CHARS])
    return with_digits(re.sub(r"[ \t\u00a0]+", " ", _DECORATION.sub(" ", text))).strip()
