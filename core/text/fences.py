"""Code in Markdown: fenced blocks, as a Markdown parser finds them, and code spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE_BREAK = re.compile(r"\r\n?|\n")
_BACKTICKS = re.compile(r"`{3,}")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
"""Ends with as many backticks as it begins with, in the same paragraph."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The lines `first` to before `end` of a text, counted from 0, its fences included."""

    first: int
    end: int
    is_closed: bool
    """False where no fence ends the block: it goes on to the end of the text, list item or quotation."""

    @property
    def lines(self) -> range:
        return range(self.first, self.end)

    @property
    def fences(self) -> tuple[int, ...]:
        """The lines that are fences."""
        return (self.first, self.end - 1) if self.is_closed else (self.first,)


def markdown_lines(markdown: str) -> list[str]:
    """The text's lines without line breaks, as `CodeBlock` counts them."""
    return _LINE_BREAK.split(markdown)


def code_blocks(markdown: str) -> list[CodeBlock]:
    """The fenced blocks of a text, in order. Linear time."""
    if "```" not in markdown and "~~~" not in markdown:
        return []
    # With a last line break, a block's content has exactly one for each of its lines.
    tokens = _parser().parse(markdown + "\n")
    fences = ((*token.map, token.content.count("\n")) for token in tokens if token.type == "fence" and token.map)
    return [CodeBlock(first, end, is_closed=end - first > lines + 1) for first, end, lines in fences]


def is_fence(line: str) -> bool:
    """Whether a line begins or ends a fenced block, if it is not within one."""
    return _FENCE.match(line) is not None


def code_of(block: str) -> str:
    """A fenced block without its fences, the last of which may be missing; any other text as it is."""
    first, *lines = block.splitlines()
    if not is_fence(first):
        return block
    if lines and is_fence(lines[-1]):
        lines = lines[:-1]
    return "\n".join(lines) + "\n"


def fenced(lines: Sequence[str]) -> list[str]:
    """Lines of code between fences that are longer than any run of backticks in them."""
    runs = (len(run) for line in lines for run in _BACKTICKS.findall(line))
    fence = "`" * max(3, 1 + max(runs, default=0))
    return [fence, *lines, fence]


def split_at_blocks(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a fenced block. Joined, they are the text again."""
    starts = [0, *(match.end() for match in _LINE_BREAK.finditer(markdown)), len(markdown)]
    start = 0
    for block in code_blocks(markdown):
        first, end = starts[block.first], starts[min(block.end, len(starts) - 1)]
        yield markdown[start:first], False
        yield markdown[first:end], True
        start = end
    yield markdown[start:], False


def split_at_code(markdown: str) -> Iterator[tuple[str, bool]]:
    """As `split_at_blocks`, with code spans as code, too."""
    for text, is_code in split_at_blocks(markdown):
        start = 0
        for span in () if is_code else _CODE_SPAN.finditer(text):
            yield text[start : span.start()], False
            yield span.group(), True
            start = span.end()
        yield text[start:], is_code


@cache
def _parser() -> MarkdownIt:
    """A parser for blocks only. HTML is text, as in the pages that show answers."""
    from markdown_it import MarkdownIt  # most texts have no fences

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable(["reference", "html_block"])
    return parser
