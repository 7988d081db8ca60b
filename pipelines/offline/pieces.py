"""Splits passages into quotable pieces: sentences, list items and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from textwrap import dedent

from core.text.fences import CodeBlock, code_blocks, markdown_lines
from core.text.formulas import displayed_in
from core.text.sentences import prose_sentences
from core.text.spans import split_at_verbatim
from core.types import Passage

MAX_LEANING_CHARS = 300
MIN_PROSE, MAX_NUMBERS = 0.3, 0.4
"""Shares of plain words and of numbers in a prose sentence; code has fewer words, and program output more numbers."""
MAX_CODE_CHARS = 1_500
"""Longer code does not come with the sentence that leads to it."""
_CODE_LINE = re.compile(
    r"\s*(?:>>> |\$ \w|import \w|from [\w.]+ import |return\b|#|@\w|[})\]]+[;,]?$|.*[;{]$"
    r"|(?:def|class|for|while|if|elif|else|with|try|except)\b.*:(?: *#.*)?$"
    r"|[\w.]+(?:\[.*\]|, [\w.]+)* *(?:[-+*/]?=|<-) *\S|[\w.]+\(.*\)(?:[.\[].*)?(?: *#.*)?$"
    r"|(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY|(?:\w+ )?JOIN|INSERT|UPDATE|CREATE|WITH|LIMIT)\b)"
)
"""A line of a program in a text without fences, as ingestion stores it."""
_ITEM = re.compile(r"^(?:[-*+]|\d+[.)])\s+")
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


def pieces(text: str) -> list[tuple[str, str]]:
    """Sentences, list items and table rows: the text, and its displayed form: a row under its table's header, and a
    sentence that leads to code ("Call it so:") with that code."""
    reader = _Reader()
    lines = markdown_lines(text)
    blocks = {block.first: block for block in code_blocks(text)}
    number = 0
    while number < len(lines):
        if block := blocks.get(number):
            reader.read_code("\n".join(lines[block.first : block.end]), is_whole=block.is_closed)
            number = block.end
        elif reader.expects_code and (end := _end_of_code(lines, number, _next(blocks, lines, number))) > number:
            reader.read_code(f"```\n{_trimmed(lines[number:end])}\n```")
            number = end
        elif formula := displayed_in(islice(lines, number, None)):
            tex, count = formula
            reader.paragraph.append(f"$${' '.join(tex.split())}$$")
            number += count
        else:
            # Separators that Markdown ignores, such as U+2028, part lines too.
            for line in lines[number].splitlines() or [""]:
                reader.read_line(line.strip())
            number += 1
    reader.end_paragraph()
    return reader.found


def _end_of_code(lines: Sequence[str], start: int, before: int) -> int:
    """The line behind the lines of a program that begin at `start`, blank ones before and among them included; `start`
    where there are none. The program ends before line `before`."""
    end = start
    for number in range(start, before):
        line = lines[number]
        if _CODE_LINE.match(line) or (end > start and line.startswith((" ", "\t")) and line.strip()):
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

    found: list[tuple[str, str]] = field(default_factory=list)
    paragraph: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    leads: bool = False

    def read_line(self, line: str) -> None:
        is_row = line.startswith("|")
        if is_row or not line or _ITEM.match(line):
            self.end_paragraph()
        if is_row:
            self.table.append(line)
            if len(self.table) > 2:
                self.found.append((line, "\n".join([*self.table[:2], line])))
            self.leads = False
            return
        self.table = []
        if line:
            self.paragraph.append(_ITEM.sub("", line))

    @property
    def expects_code(self) -> bool:
        """True behind a colon."""
        return self.paragraph[-1].endswith(":") if self.paragraph else self.leads

    def read_code(self, block: str, *, is_whole: bool = True) -> None:
        self.end_paragraph()
        code = dedent(block).strip("\n")
        if self.leads and is_whole and len(code) <= MAX_CODE_CHARS:
            sentence, _ = self.found[-1]
            self.found[-1] = (sentence, f"{sentence}\n\n{code}")
        self.leads, self.table = False, []

    def end_paragraph(self) -> None:
        if not self.paragraph:
            return
        text = " ".join(self.paragraph)
        sentences = list(_sentences(text))
        self.found += [(sentence, sentence) for sentence in sentences]
        self.leads = text.endswith(":") and bool(sentences) and text.endswith(sentences[-1])
        self.paragraph = []


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
    """False for code and program output; marked code and formulas count for neither."""
    parts = "".join(piece for piece, is_verbatim in split_at_verbatim(sentence) if not is_verbatim).split()
    words, numbers = (sum(bool(kind.fullmatch(part)) for part in parts) for kind in (_PLAIN_WORD, _PLAIN_NUMBER))
    return words >= MIN_PROSE * len(parts) > 0 and numbers <= MAX_NUMBERS * len(parts)


def in_row(shown: str) -> str:
    """Each cell of a table's row after its column's name: "Week" over "9" gives "Week 9"."""
    header, *_, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in shown.split("\n"))
    return " | ".join(f"{name} {cell}" for name, cell in zip(header, row, strict=False))
