"""The sentences of a text as the rules of the Teacher read them: without headings and emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.text.sentences import prose_sentences

HEADING_SHARE = 0.6
"""Of the longest line of a paragraph; a line that is wrapped is hardly shorter."""
_BLANK_LINES = re.compile(r"\n\s*\n")
_HEADING_MARK = re.compile(r"#{1,6}\s+\S")
_LIST_MARK = re.compile(r"\A\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:;,…][\"')\]*_’”]*$")
_BEFORE_EMPHASIS = re.compile(r"(?<=[.!?])\s+(?=[*_]{1,3}[A-ZÀ-Þ0-9])")
_EMPHASIS = re.compile(r"(?<![\w*_])([*_]{1,3})(?![\s*_])([^*_]+)(?<!\s)\1(?![\w*_])")


def sentences(text: str) -> list[str]:
    """The sentences of the paragraphs in order, on one line each, with their emphasis."""
    found = [sentence for paragraph in _paragraphs(text) for sentence in prose_sentences(" ".join(paragraph.split()))]
    return [part for sentence in found for part in _BEFORE_EMPHASIS.split(sentence)]


def plain(sentence: str) -> str:
    """The sentence without the marks of **bold** and _italic_ words."""
    return _EMPHASIS.sub(r"\2", sentence)


def unmarked(sentence: str) -> str:
    """The sentence without the mark of the list that it is an item of."""
    return _LIST_MARK.sub("", sentence, count=1)


def _paragraphs(text: str) -> Iterator[str]:
    """Parts between blank lines; headings without a blank line and items of lists are parts of their own."""
    for part in _BLANK_LINES.split(text):
        lines = part.split("\n")
        width = max(map(len, lines))
        start = 0
        for number, line in enumerate(lines):
            if _LIST_MARK.match(line) and number > start:
                yield "\n".join(lines[start:number])
                start = number
            if _HEADING_MARK.match(line.lstrip()) or _is_heading(lines, number, width):
                yield "\n".join(lines[start:number])
                yield line
                start = number + 1
        yield "\n".join(lines[start:])


def _is_heading(lines: list[str], number: int, width: int) -> bool:
    """Whether a line is short, ends no sentence, continues none, and a new one begins behind it."""
    line, follows = lines[number].strip(), lines[number + 1 : number + 2]
    before = lines[number - 1].strip() if number else ""
    is_short = 0 < len(line) < HEADING_SHARE * width and not _SENTENCE_END.search(line)
    is_apart = not before or bool(_SENTENCE_END.search(before))
    return is_short and is_apart and bool(follows) and follows[0].strip()[:1].isupper()
