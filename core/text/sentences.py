"""Splits texts into sentences, one function per use.

units            an answer's Markdown, to judge or remove single sentences
prose_sentences  a paragraph, to quote a sentence: splits only if the next one begins with a capital
rough_sentences  a text of lines, to pick one sentence: splits wherever one may end
sentence_spans   a text of lines, with offsets, to embed it in parts
stream_pieces    an answer's Markdown, to send it in parts
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.fences import split_at_blocks
from core.text.spans import bracket_spans, verbatim_spans

_ENDS = ".!?"
_WIDE_ENDS = "。！？"
"""Sentence ends that are not followed by white space."""
_BEGINS = "A-ZÀ-Þ0-9"

_UNIT = re.compile(rf"(?<=[{_ENDS}])(?:[ \t]*\[\d+\])*\s+(?=[\"'(*_\[{_BEGINS}`])|(?<=[{_WIDE_ENDS}])(?:\[\d+\])*|\n+")
_PROSE = re.compile(rf"(?<=[{_ENDS}])\s+(?=[\"'(\[{_BEGINS}])|(?<=[{_WIDE_ENDS}])")
_ROUGH = re.compile(rf"(?<=[{_ENDS}{_WIDE_ENDS}])\s+|\n+")
_SPAN = re.compile(rf"[^\n]*?(?:[{_ENDS}][\"')\]]*(?=\s)|[{_WIDE_ENDS}；]|\n+|\Z)")
_STREAMED = re.compile(rf".+?(?:(?<=[{_ENDS}:])\s+|\n+|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A sentence, a line of a list or table, or a whole code block; the white space after it included."""

    text: str
    is_code: bool = False


def units(markdown: str) -> list[TextUnit]:
    """The text in units; joined, they are the text again. References such as "[1]" stay with their sentence."""
    found: list[TextUnit] = []
    for text, is_code in split_at_blocks(markdown):
        found += [TextUnit(text, is_code=True)] if is_code else [TextUnit(part) for part in _between_ends(text)]
    return found


def _between_ends(prose: str) -> list[str]:
    ends = [match.end() for match in _UNIT.finditer(prose) if match.end() > 0]
    pieces = (prose[start:end] for start, end in zip([0, *ends], [*ends, len(prose)], strict=True))
    return [piece for piece in pieces if piece]


def prose_sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, which has no line breaks; "e.g. this" is not cut, nor are code, formulas and
    brackets."""
    whole = [*verbatim_spans(paragraph), *bracket_spans(paragraph)]
    ends = [
        match.span()
        for match in _PROSE.finditer(paragraph)
        if not any(first < match.start() and match.end() < last for first, last in whole)
    ]
    starts = [0, *(end for _, end in ends)]
    return [paragraph[start:end] for start, end in zip(starts, [*(end for end, _ in ends), None], strict=True)]


def rough_sentences(text: str) -> list[str]:
    """Sentences and lines, without the white space between them; abbreviations end sentences, too."""
    return _ROUGH.split(text)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every sentence or line, closing quotes included. No span is left out, some are empty."""
    return (match.span() for match in _SPAN.finditer(text))


def stream_pieces(markdown: str) -> list[str]:
    """The text in pieces that end with a sentence, a colon or a line; joined, they are the text again."""
    pieces: list[str] = _STREAMED.findall(markdown)
    return pieces
