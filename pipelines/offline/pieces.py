"""Takes passages apart into what can be quoted: sentences, list items and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.types import Passage

MOST_LEANING_CHARS = 300
LEAST_PROSE, MOST_NUMBERS = 0.3, 0.4
"""Shares of plain words and of numbers in a sentence; code has fewer words than a formula, output more numbers."""
_FENCE = re.compile(r"^\s*(```|~~~)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[A-ZÀ-Þ0-9])|(?<=[。！？])")
_ANSWER = re.compile(r"^(?P<kind>Answer|Reply) \((?P<who>[^)]*)\): ?")
_LEANS = re.compile(r"(It|They|This|That|These|Those|He|She|Both|Neither|Otherwise|Then|So|But|However|Therefore)\b")
_PLAIN_WORD = re.compile(r"[\"'“‘(*_]*[^\W\d_]+(?:['’-][^\W\d_]+)*[\"'”’)*_.,;:!?…]*")
_PLAIN_NUMBER = re.compile(r"[-−+(]?\d[\d.,]*[%),.;:]*")


def answer_part(passage: Passage) -> tuple[str, str]:
    """A thread's answers by staff, or endorsed by them, and what was asked."""
    answers: list[str] = []
    asked: list[str] = []
    current = asked
    for line in passage.text.splitlines():
        if match := _ANSWER.match(line):
            trusted = "student" not in match["who"].lower() or "endorsed" in match["who"].lower()
            current = answers if trusted else []
            line = line[match.end() :]
        current.append(line)
    return "\n".join(answers), "\n".join(asked)


def pieces(text: str) -> Iterable[tuple[str, str]]:
    """Sentences, list items and table rows: the words, and how to show them (a row under its table's header)."""
    paragraph: list[str] = []
    table: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            continue
        is_row = stripped.startswith("|")
        starts = is_row or not stripped or bool(re.match(r"([-*+]|\d+[.)])\s", stripped))
        if starts and paragraph:
            yield from ((sentence, sentence) for sentence in _sentences(" ".join(paragraph)))
            paragraph = []
        if is_row:
            table.append(stripped)
            if len(table) > 2:
                yield stripped, "\n".join([table[0], table[1], stripped])
            continue
        table = []
        if stripped:
            paragraph.append(re.sub(r"^([-*+]|\d+[.)])\s+", "", stripped))


def _sentences(paragraph: str) -> Iterator[str]:
    """Prose by sentences; one that leans on the sentence before it ("It covers ...") comes with that one."""
    waiting = ""
    for sentence in [*_SENTENCE.split(paragraph), ""]:
        if waiting and _LEANS.match(sentence) and len(waiting) < MOST_LEANING_CHARS and _is_prose(sentence):
            waiting += f" {sentence}"
            continue
        if waiting:
            yield waiting
        waiting = sentence if _is_prose(sentence) else ""


def _is_prose(sentence: str) -> bool:
    """False for code, and for what a program printed."""
    parts = sentence.split()
    words, numbers = (sum(bool(kind.fullmatch(part)) for part in parts) for kind in (_PLAIN_WORD, _PLAIN_NUMBER))
    return words >= LEAST_PROSE * len(parts) > 0 and numbers <= MOST_NUMBERS * len(parts)


def in_row(shown: str) -> str:
    """Each cell of a table's row behind its column's name: "Week" over "9" is week 9."""
    header, *_, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in shown.split("\n"))
    return " | ".join(f"{name} {cell}" for name, cell in zip(header, row, strict=False))
