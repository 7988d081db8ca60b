"""Splits passages into pieces: sentences, list items, rows of tables and code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from textwrap import dedent
from typing import Literal

from core.text.fences import CodeBlock, code_blocks, markdown_lines
from core.text.formulas import displayed_in
from core.types import Passage
from offline.prose import is_prose, is_verse, sentences_of, unmarked

MAX_CODE_CHARS = 1_500
"""Longer code does not come with the sentence that leads to it."""
_CODE_LINE = re.compile(
    r"\s*(?:>>> |\$ \w|import \w|from [\w.]+ import |return\b|#|@\w|[})\]]+[;,]?$|.*[;{]$"
    r"|(?:def|class|for|while|if|elif|else|with|try|except)\b.*:(?: *#.*)?$|raise\b|assert\b|\"{3}"
    r"|[\w.]+(?:\[.*\]|, [\w.]+)* *(?:[-+*/]?=|<-) *\S|[\w.]+\(.*\)(?:[.\[].*)?(?: *#.*)?$"
    r"|(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY|(?:\w+ )?JOIN|INSERT|UPDATE|CREATE|WITH|LIMIT)\b)"
)
"""A line of a program in a text without fences, as ingestion stores it."""
_BAR = re.compile(r"(?:^|\s)\|(?=\s|$)")
_ITEM = re.compile(r"^(?:[-*+•·‣▪◦]|\d+[.)])\s+")
_ANSWER = re.compile(r"^(?P<kind>Answer|Reply) \((?P<who>[^)]*)\): ?")


def answer_part(passage: Passage) -> tuple[str, str]:
    """A thread's answers by staff or endorsed by them, and its question; a page that is no thread is all answer."""
    lines = passage.text.splitlines()
    is_asked = any(line.startswith("Question:") for line in lines)
    if not any(map(_ANSWER.match, lines)) and not (is_asked and not any(line.startswith("Answer:") for line in lines)):
        return passage.text, ""
    answers: list[str] = []
    asked: list[str] = []
    current = asked
    for line in lines:
        if match := _ANSWER.match(line):
            trusted = "student" not in match["who"].lower() or "endorsed" in match["who"].lower()
            current = answers if trusted else []
            line = line[match.end() :]
        current.append(line)
    return "\n".join(answers), "\n".join(asked)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text. `shown` is its displayed form: a row under its table's header, and a sentence that leads to
    code ("Call it so:") with that code.

    Pieces of one `paragraph` stand together. Only prose, items and rows can be quoted alone.
    """

    text: str
    shown: str
    kind: Literal["prose", "item", "row", "code"]
    paragraph: int

    @property
    def is_quotable(self) -> bool:
        return self.kind != "code"


def pieces(text: str) -> list[tuple[str, str]]:
    """The pieces that can be quoted alone: sentences, list items and table rows, each as text and as displayed."""
    return [(piece.text, piece.shown) for piece in layout(text) if piece.is_quotable]


def layout(text: str) -> list[Piece]:
    """All pieces of a text, in order: joined, they are the whole text."""
    reader = _Reader()
    lines = markdown_lines(text)
    blocks = {block.first: block for block in code_blocks(text)}
    number = 0
    while number < len(lines):
        if block := blocks.get(number):
            reader.read_code("\n".join(lines[block.first : block.end]), is_whole=block.is_closed)
            number = block.end
        elif (end := _end_of_code(lines, number, _next(blocks, lines, number))) > number and (
            reader.expects_code or _is_program(lines[number:end])
        ):
            reader.read_code(f"```\n{_trimmed(lines[number:end])}\n```")
            number = end
        elif formula := displayed_in(islice(lines, number, None)):
            tex, count = formula
            reader.add(f"$${' '.join(tex.split())}$$")
            number += count
        else:
            # Separators that Markdown ignores, such as U+2028, part lines too.
            for line in lines[number].splitlines() or [""]:
                reader.read_line(line)
            number += 1
    reader.end_paragraph()
    return reader.found


def displayed(found: Sequence[Piece]) -> str:
    """Pieces as Markdown: sentences of a paragraph in one line, items below each other, rows under one header."""
    shown: list[str] = []
    last: Piece | None = None
    for _, group in groupby(found, key=lambda piece: piece.paragraph):
        first, *others = group
        if first.kind == "row":
            block = "\n".join([first.shown, *(row.shown.rpartition("\n")[2] for row in others)])
        else:
            block = _joined([first, *others])
        is_list = first.kind == "item" and last is not None and last.kind == "item" and "\n" not in last.shown
        shown += [*(("\n" if is_list else "\n\n",) if last else ()), block]
        last = others[-1] if others else first
    return "".join(shown)


def _joined(paragraph: Sequence[Piece]) -> str:
    """Code stands apart from the sentences around it."""
    text = "- " if paragraph[0].kind == "item" else ""
    for piece in paragraph:
        text += piece.shown + ("\n\n" if "\n" in piece.shown else " ")
    return text.rstrip()


def _is_program(lines: Sequence[str]) -> bool:
    """True for lines of a program of which not all read as prose, nor the first as a heading."""
    is_heading = lines[0].startswith("#") and not "".join(lines[1:2]).strip()
    return not is_heading and not all(is_prose(line) for line in lines if line.strip())


def _end_of_code(lines: Sequence[str], start: int, before: int) -> int:
    """The line behind the lines of a program that begin at `start`, blank ones before and among them included; `start`
    where there are none. The program ends before line `before`."""
    end = start
    for number in range(start, before):
        line = lines[number]
        if (_CODE_LINE.match(line) and not _ITEM.match(line)) or (
            end > start and line.startswith((" ", "\t")) and line.strip()
        ):
            end = number + 1
        elif line.strip():
            break
    return end


def _next(blocks: Mapping[int, CodeBlock], lines: Sequence[str], number: int) -> int:
    """The first line from `number` on at which a block begins, or the end."""
    return min((first for first in blocks if first >= number), default=len(lines))


def _trimmed(lines: Sequence[str]) -> str:
    return dedent("\n".join(lines).strip("\n"))


@dataclass
class _Reader:
    """Puts lines together to pieces; `leads` is true where the last piece ends with a colon, and a paragraph."""

    found: list[Piece] = field(default_factory=list)
    paragraph: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    leads: bool = False
    is_item: bool = False
    count: int = 0

    def read_line(self, line: str) -> None:
        stripped = line.strip()
        is_row = stripped.startswith("|")
        item = _ITEM.match(stripped)
        if is_row or not stripped or item:
            self.end_paragraph()
        if is_row:
            self._read_row(stripped)
            return
        self.table = []
        if stripped:
            self.is_item = self.is_item or bool(item)
            self.add(_ITEM.sub("", stripped) if item else stripped, line)

    def add(self, line: str, raw: str = "") -> None:
        """Add a line to the paragraph."""
        self.paragraph.append(line)
        self.raw.append(raw or line)

    def _read_row(self, row: str) -> None:
        if not self.table:
            self.count += 1
        self.table.append(row)
        self.leads = False
        if len(self.table) > 2:
            self.found.append(Piece(row, "\n".join([*self.table[:2], row]), "row", self.count))

    @property
    def expects_code(self) -> bool:
        """True behind a colon."""
        return self.paragraph[-1].endswith(":") if self.paragraph else self.leads

    def read_code(self, block: str, *, is_whole: bool = True) -> None:
        self.end_paragraph()
        code = dedent(block).strip("\n")
        if is_whole and len(code) <= MAX_CODE_CHARS:
            if not self.leads:
                self.count += 1
            self._read_verbatim(code)
        self.leads, self.table = False, []

    def _read_verbatim(self, shown: str) -> None:
        """Code or a formula: a part of the sentence that leads to it, or a piece that cannot be quoted alone."""
        if self.leads:
            last = self.found[-1]
            self.found[-1] = replace(last, shown=f"{last.text}\n\n{shown}")
        else:
            self._append("", shown, "code")

    def end_paragraph(self) -> None:
        if self.paragraph:
            self.count += 1
            if self._is_bare_table():
                self._read_bare_table()
                return
            text = " ".join(self.paragraph)
            if not self.is_item and is_verse(self.paragraph):
                self._append(text, f"```\n{_trimmed(self.raw)}\n```", "prose")
                self.leads = False
                self._clear()
                return
            sentences = list(sentences_of(text))
            for sentence in sentences:
                self._append(sentence, sentence, "item" if self.is_item else "prose")
            if not sentences and self.is_item:
                self._append(text, text, "item")
            elif not sentences and unmarked(text):
                self._append("", f"```\n{_trimmed(self.raw)}\n```", "code")
            elif not sentences:
                self._read_verbatim(text)
            self.leads = text.endswith(":") and bool(sentences) and text.endswith(sentences[-1])
        self._clear()

    def _clear(self) -> None:
        self.paragraph, self.raw, self.is_item = [], [], False

    def _is_bare_table(self) -> bool:
        """True for rows without bars at their ends, as ingestion stores tables of web pages."""
        columns = [len(_cells(line)) for line in self.paragraph]
        return len(columns) > 1 and min(columns) > 1 and max(columns) == columns[0]

    def _read_bare_table(self) -> None:
        header, *rows = self.paragraph
        columns = len(_cells(header))
        for row in rows:
            # A page's last cells may be empty.
            cells = " | ".join([*(cells := _cells(row)), *[""] * (columns - len(cells))])
            shown = f"| {header} |\n|{'---|' * columns}\n| {cells} |"
            self.found.append(Piece(row, shown, "row", self.count))
        self.leads = False
        self._clear()

    def _append(self, text: str, shown: str, kind: Literal["prose", "item", "code"]) -> None:
        self.found.append(Piece(text, shown, kind, self.count))


def _cells(row: str) -> list[str]:
    """The cells of a row without bars at its ends; the last ones may be missing."""
    return [cell.strip() for cell in _BAR.split(row)]


def in_row(shown: str) -> str:
    """Each cell of a table's row after its column's name: "Week" over "9" gives "Week 9"."""
    header, *_, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in shown.split("\n"))
    return " | ".join(f"{name} {cell}" for name, cell in zip(header, row, strict=False))
