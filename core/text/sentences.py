"""Splits texts into sentences, one function per use.

units            an answer's Markdown, to judge or remove single sentences
prose_sentences  a paragraph, to quote a sentence: splits only if the next one begins with a capital
rough_sentences  a text of lines, to pick one sentence: splits wherever one may end
sentence_spans   a text of lines, with offsets, to embed it in parts
stream_pieces    an answer's Markdown, to send it in parts
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.text.fences import split_at_blocks
from core.text.spans import Span, bracket_spans, link_spans, verbatim_spans

_ENDS = ".!?"
_WIDE_ENDS = "。！？"
"""Sentence ends that are not followed by white space."""
_BEGINS = "A-ZÀ-Þ0-9"

_UNIT = re.compile(rf"(?<=[{_ENDS}])(?:[ \t]*\[\d+\])*\s+(?=[\"'(*_\[{_BEGINS}`])|(?<=[{_WIDE_ENDS}])(?:\[\d+\])*|\n+")
_ONLY_MARKER = re.compile(
    r"[ \t]*(?:(?:[-*+>]|#{1,6}|\(?(?:\d{1,9}(?:\.\d{1,9})*|[A-Za-z]|[ivxIVX]{2,5})[.)])(?:[ \t]+|$))+"
)
_NUMBER_OF_ITEM = re.compile(r"[.!?:;,][ \t]+\(?\d{1,3}[.)]$")
"""Of an item of a list within a line: "Do this: 1. Read. 2. Run."."""
_ITEM = re.compile(r"\d{1,3}[.)][ \t]")
_OPENS_WHOLE = ("`", "~~~", "$", "\\", "](")
_LAST_WORD = re.compile(r"(?:^|[\s(\[\"'*_])([^\W\d_](?:[^\W\d_]|\.(?=[^\W\d_]))*)\.$")
_TITLES = ("dr", "prof", "mr", "mrs", "ms", "st", "vs", "cf", "approx", "resp", "incl", "excl", "viz")
"""Abbreviations with which no sentence ends."""
_MAY_END = ("etc", "al")
"""Abbreviations with which a sentence may end: their points belong to them all the same."""
_MAX_BEFORE_NUMBER = 4
"""Letters of an abbreviation before a number, as in "Sec. 3" and "Fig. 2"."""
_MAX_MARKER_CHARS = 60
_PROSE = re.compile(rf"(?<=[{_ENDS}])\s+(?=[\"'(\[{_BEGINS}])|(?<=[{_WIDE_ENDS}])")
_ROUGH = re.compile(rf"(?<=[{_ENDS}])\s+|(?<=[{_WIDE_ENDS}])(?!\Z)\s*|\n+")
_SPAN = re.compile(rf"[^\n]*?(?:[{_ENDS}][\"')\]]*(?=\s)|[{_WIDE_ENDS}；]|\n+|\Z)")
_STREAMED = re.compile(rf".+?(?:(?<=[{_ENDS}:])\s+|\n+|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A sentence, a line of a list or table, or a whole code block; the white space after it included."""

    text: str
    is_code: bool = False


def units(markdown: str) -> list[TextUnit]:
    """The text in units; joined, they are the text again. References such as "[1]" stay with their sentence."""
    parts: list[TextUnit] = []
    for text, is_code in split_at_blocks(markdown):
        parts += [TextUnit(text, is_code=True)] if is_code else [TextUnit(piece) for piece in _between_ends(text)]
    return parts


def _between_ends(prose: str) -> list[str]:
    whole = _whole_spans(prose)
    ends = [match.end() for match in _UNIT.finditer(prose) if match.end() > 0 and _ends_unit(prose, match, whole)]
    pieces = (prose[start:end] for start, end in zip([0, *ends], [*ends, len(prose)], strict=True))
    return [piece for piece in pieces if piece]


def _ends_unit(prose: str, match: re.Match[str], whole: Sequence[Span]) -> bool:
    """False of a point that ends no sentence: of a list, an abbreviation, or within code, a formula or a link."""
    if "\n" in match[0]:
        return True
    start = match.start()
    around = bisect_left(whole, (start,)) - 1
    if around >= 0 and match.end() < whole[around][1]:
        return False
    if prose[start - 1] != "." or not prose[start - 2 : start - 1].isalnum():
        return True
    before = prose[max(prose.rfind("\n", 0, start) + 1, start - _MAX_MARKER_CHARS) : start]
    word = before[:-1].rpartition(" ")[2]
    if word.isalpha() and len(word) > 1 and len(word) < len(before) - 1:
        # Most sentences end with a plain word.
        return word.lower() not in _TITLES and not _is_before_number(word, prose[match.end() : match.end() + 5])
    is_number = _NUMBER_OF_ITEM.search(before) or is_marker(before)
    return not (is_number or ends_with_abbreviation(before, prose[match.end() : match.end() + _MAX_MARKER_CHARS]))


def _whole_spans(prose: str) -> list[Span]:
    """Where code, formulas and links stand, in order; one within another is left out."""
    if not any(sign in prose for sign in _OPENS_WHOLE):
        return []
    outer: list[Span] = []
    for first, last in sorted([*verbatim_spans(prose), *link_spans(prose)]):
        if not outer or last > outer[-1][1]:
            outer.append((first, last))
    return outer


def is_marker(text: str) -> bool:
    """True of what begins a list's item, a heading or a quotation, with nothing behind it."""
    return bool(_ONLY_MARKER.fullmatch(text))


def ends_with_abbreviation(text: str, following: str = "") -> bool:
    """True if the point at the end belongs to an abbreviation: "e.g.", "J.", "Prof."; before a number, "Fig." too."""
    word = _LAST_WORD.search(text[-_MAX_MARKER_CHARS:])
    if word is None:
        return False
    name = word[1]
    is_short = "." in name or len(name) == 1 or name.lower() in (_TITLES if following else (*_TITLES, *_MAY_END))
    return is_short or _is_before_number(name, following)


def _is_before_number(word: str, following: str) -> bool:
    """True of a short word with a number behind its point, unless that is the number of an item."""
    return len(word) <= _MAX_BEFORE_NUMBER and following[:1].isdigit() and not _ITEM.match(following)


def prose_sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, which has no line breaks; "e.g. this" is not cut, nor are code, formulas and
    brackets."""
    whole = sorted([*verbatim_spans(paragraph), *bracket_spans(paragraph)])
    ends: list[tuple[int, int]] = []
    inside, number = 0, 0
    for match in _PROSE.finditer(paragraph):
        while number < len(whole) and whole[number][0] < match.start():
            inside, number = max(inside, whole[number][1]), number + 1
        if match.end() >= inside:
            ends.append(match.span())
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
