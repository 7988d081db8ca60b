"""Splits passages into quotable pieces: sentences, list items and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.text.fences import code_blocks, markdown_lines
from core.text.sentences import prose_sentences
from core.types import Passage

MAX_LEANING_CHARS = 300
MIN_PROSE, MAX_NUMBERS = 0.3, 0.4
"""Shares of plain words and of numbers in a prose sentence; code has fewer words, and program output more numbers."""
_ANSWER = re.compile(r"^(?P<kind>Answer|Reply) \((?P<who>[^)]*)\): ?")
_LEANS = re.compile(r"(It|They|This|That|These|Those|He|She|Both|Neither|Otherwise|Then|So|But|However|Therefore)\b")
_PLAIN_WORD = re.compile(r"[\"'“‘(*_]*[^\W\d_]+(?:['’-][^\W\d_]+)*[\"'”’)*_.,;:!?…]*")
_PLAIN_NUMBER = re.compile(r"[-−+(]?\d[\d.,]*[%),.;:]*")


def answer_part(passage: Passage) -> tuple[str, str]:
    """A thread's answers by staff or endorsed by them, and its question."""
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
    """Sentences, list items and table rows: the text, and its displayed form (a row under its table's header)."""
    paragraph: list[str] = []
    table: list[str] = []
    for line in [*_lines_of_prose(text), ""]:
        stripped = line.strip()
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


def _lines_of_prose(text: str) -> list[str]:
    """The lines outside code blocks, split also at separators that Markdown ignores, such as U+2028."""
    in_code = {line for block in code_blocks(text) for line in block.lines}
    return "\n".join(line for n, line in enumerate(markdown_lines(text)) if n not in in_code).splitlines()


def _sentences(paragraph: str) -> Iterator[str]:
    """The sentences of prose; one that refers to the sentence before it ("It covers ...") is joined to that one."""
    waiting = ""
    for sentence in [*prose_sentences(paragraph), ""]:
        if waiting and _LEANS.match(sentence) and len(waiting) < MAX_LEANING_CHARS and _is_prose(sentence):
            waiting += f" {sentence}"
            continue
        if waiting:
            yield waiting
        waiting = sentence if _is_prose(sentence) else ""


def _is_prose(sentence: str) -> bool:
    """False for code and program output."""
    parts = sentence.split()
    words, numbers = (sum(bool(kind.fullmatch(part)) for part in parts) for kind in (_PLAIN_WORD, _PLAIN_NUMBER))
    return words >= MIN_PROSE * len(parts) > 0 and numbers <= MAX_NUMBERS * len(parts)


def in_row(shown: str) -> str:
    """Each cell of a table's row after its column's name: "Week" over "9" gives "Week 9"."""
    header, *_, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in shown.split("\n"))
    return " | ".join(f"{name} {cell}" for name, cell in zip(header, row, strict=False))
