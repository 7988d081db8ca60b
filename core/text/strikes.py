"""Takes sentences out of a text in Markdown, so that what is left is still in its paragraphs and lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from rapidfuzz.distance import LCSseq

from core.text.sentences import units

_MARKER = re.compile(r"[ \t]*(?:(?:[-*+]|\d+[.)]|#{1,6}|>)[ \t]+)+")
"""Of a list's item, a heading or a quotation."""


def without(markdown: str, struck: Collection[int]) -> str:
    """The text without its sentences of those numbers, from 1 as in `core.text.sentences.units`."""
    sentences, left = units(markdown), ""
    for number, unit in enumerate(sentences, start=1):
        if number in struck:
            left = _drop(left, unit.text, is_last=number == len(sentences))
        else:
            left += unit.text
    return left.strip()


def without_struck(draft: str, struck: Collection[int], edited: str) -> str:
    """The edited text without sentences of the draft, by their numbers there; one that was edited as well is kept.

    Sentences are matched as in `matches`, so that of two equal ones the one that was struck goes.
    """
    numbers = matches(draft, edited)
    return without(edited, {numbers[number] for number in struck if number in numbers})


def matches(before: str, after: str) -> dict[int, int]:
    """The numbers of sentences in a text, and of the same ones in another.

    Sentences are matched in order; one that was moved is found if there is no other like it.
    """
    sentences, left = ([unit.text.strip() for unit in units(text)] for text in (before, after))
    blocks = LCSseq.opcodes(sentences, left).as_matching_blocks()
    places = {sentence: number for number, sentence in enumerate(left, 1)}
    counts = Counter(left)
    numbers = {n: places[sentence] for n, sentence in enumerate(sentences, 1) if counts[sentence] == 1}
    return numbers | {block.a + n + 1: block.b + n + 1 for block in blocks for n in range(block.size)}


def _drop(left: str, sentence: str, *, is_last: bool) -> str:
    """What stands before a sentence once it is gone: with its marker if others follow on its line, else without one."""
    after = sentence[len(sentence.rstrip()) :]
    line = left.rpartition("\n")[2]
    if "\n" not in after and not is_last:
        marker = None if line else _MARKER.match(sentence)
        return left + (marker[0] if marker else "")
    if line and not _MARKER.fullmatch(line):
        return left.rstrip(" \t") + after
    lines = left.removesuffix(line)
    paragraph = lines.rstrip("\n")
    return paragraph + "\n" * max(len(lines) - len(paragraph), after.count("\n"))
