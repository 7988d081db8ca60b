"""What to show of a passage: a short section whole, of a longer one the paragraphs that answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.text.spans import split_at_verbatim
from core.types import Source
from offline.candidates import Candidate
from offline.pieces import Piece, displayed, in_row, layout
from retrievers.dates import dated_terms
from safeguards.quotes import find_quote

SHORT_SECTION = 1_200
"""Characters of a section that is quoted whole."""
BEST_SECTION = 2_500
"""The same of the one that answers best."""
MAX_PARAGRAPHS = 5
MAX_ROWS = 4
ROW_SHARE = 0.6
"""Share of the best row's weight that another one must have to be shown too."""
MIN_GAIN = 0.25
"""Share of the best paragraph's score that another one must have to be quoted too."""
REPEATED_TERM = 0.3
"""Factor of a term's weight once a paragraph has it."""
FIRST_WEIGHT = 0.3
"""Added share of the score for a section's first paragraph, which introduces what follows; less for later ones."""
_STUB = re.compile(
    r"(?:[\w.]+(?:, [\w.]+)* = )?\.\.\.|_Type your answer here.*_|\W*YOUR (?:CODE|ANSWER) HERE\W*|grader\.check\(.*\)"
)
"""What a blank notebook has where students write, which says nothing."""
_TEST_OR_STUB = re.compile(r"^\s*(?:assert\b|raise NotImplemented|(?:\W*YOUR CODE HERE\W*$)|\W*\.\.\.$)", re.MULTILINE)
"""In a cell that is for students to fill in, or that tests what they wrote."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a passage: `shown` as Markdown, `text` a part of it for its citation."""

    text: str
    shown: str


class Quotable:
    """The text of a candidate, cut into paragraphs; one of up to `whole` characters is quoted whole."""

    def __init__(self, candidate: Candidate, whole: int = SHORT_SECTION) -> None:
        self._candidate = candidate
        self._is_short = len(candidate.body) <= whole

    def answer(self, weights: Weights) -> Quote | None:
        """What answers in it; None if nothing in it can be quoted. `weights` are those of the question's terms."""
        if not (cited := self._cited(weights)):
            return None
        if self._is_short:
            chosen = [_rows(paragraph, weights) for paragraph in self._paragraphs]
        else:
            chosen = [_shortened(paragraph, weights) for paragraph in _answering(self._paragraphs, weights)]
        shown = displayed([sentence.piece for paragraph in chosen for sentence in paragraph])
        return Quote(cited, _without_references(shown))

    def paragraph(self, weights: Weights) -> Quote | None:
        """The one paragraph of it that is nearest to the question, a long one shortened."""
        best = max(self._paragraphs, key=lambda paragraph: _score(paragraph, weights), default=[])
        if not (cited := self._cited(weights, [best])):
            return self.step(weights)
        return Quote(cited, _without_references(displayed([one.piece for one in _shortened(best, weights)])))

    def step(self, weights: Weights) -> Quote | None:
        """The one sentence of it that is nearest to the question."""
        cited = self._cited(weights)
        return Quote(cited, _without_references(cited)) if cited else None

    @cached_property
    def _paragraphs(self) -> list[list[_Sentence]]:
        """Code stands with the paragraph before it."""
        found: list[list[_Sentence]] = []
        is_task = self._candidate.passage.source is Source.ASSIGNMENT
        for piece in layout(_without_stubs(self._candidate)):
            if is_task and piece.kind == "code" and _TEST_OR_STUB.search(piece.shown):
                continue
            if found and (piece.kind == "code" or piece.paragraph == found[-1][-1].piece.paragraph):
                found[-1].append(_Sentence(piece))
            else:
                found.append([_Sentence(piece)])
        return found

    def _cited(self, weights: Weights, paragraphs: Sequence[list[_Sentence]] | None = None) -> str:
        """The piece nearest to the question that can be looked up in the passage, or the text if it is one line."""
        within = self._paragraphs if paragraphs is None else paragraphs
        quotable = [one for paragraph in within for one in paragraph if one.piece.is_quotable]
        ranked = sorted(quotable, key=lambda one: -_score([one], weights))
        body = self._candidate.body.strip()
        texts = (*(one.piece.text for one in ranked), *(() if "\n" in body else (body,)))
        return next((text for text in texts if find_quote(text, self._candidate.passage.text)), "")


@dataclass(frozen=True)
class _Sentence:
    """A piece, with what it is compared by."""

    piece: Piece

    @cached_property
    def terms(self) -> frozenset[str]:
        """A row's terms include those of its header, which is only in `shown`."""
        return dated_terms(in_row(self.piece.shown) if self.piece.kind == "row" else self.piece.text)

    def weight(self, weights: Weights) -> float:
        """Weight of the question's terms that it has."""
        return sum(weights[term] for term in self.terms & weights.keys())


def _without_stubs(candidate: Candidate) -> str:
    if candidate.passage.source is not Source.ASSIGNMENT:
        return candidate.body
    return "\n".join(line for line in candidate.body.split("\n") if not _STUB.fullmatch(line.strip()))


def _answering(paragraphs: Sequence[list[_Sentence]], weights: Weights) -> list[list[_Sentence]]:
    """The paragraphs that cover most of the question, in reading order; the first one if none covers any of it."""
    left, chosen, first_gain, size = dict(weights), list[int](), 0.0, 0
    while len(chosen) < MAX_PARAGRAPHS:
        gains = {
            n: _score(paragraph, left) * (1 + FIRST_WEIGHT / (1 + n))
            for n, paragraph in enumerate(paragraphs)
            if n not in chosen and (not chosen or size + _size(paragraph) <= SHORT_SECTION)
        }
        best = max(gains, key=lambda n: gains[n], default=-1)
        if best < 0 or (chosen and gains[best] <= MIN_GAIN * first_gain):
            break
        first_gain = first_gain or gains[best]
        chosen.append(best)
        size += _size(paragraphs[best])
        for term in frozenset().union(*(one.terms for one in paragraphs[best])) & left.keys():
            left[term] *= REPEATED_TERM
    return [paragraphs[n] for n in sorted(chosen)]


def _size(paragraph: Sequence[_Sentence]) -> int:
    return sum(len(one.piece.shown) for one in paragraph)


def _score(paragraph: Sequence[_Sentence], weights: Weights) -> float:
    terms = frozenset[str]().union(*(one.terms for one in paragraph))
    return sum(weights[term] for term in terms & weights.keys())


def _shortened(paragraph: list[_Sentence], weights: Weights) -> list[_Sentence]:
    """Of a paragraph longer than a short section the best sentences."""
    rows = _rows(paragraph, weights)
    if _size(rows) <= SHORT_SECTION or rows[0].piece.kind == "row":
        return rows
    kept: list[_Sentence] = []
    for one in sorted(rows, key=lambda one: -_score([one], weights)):
        if not kept or _size([*kept, one]) <= SHORT_SECTION // 2:
            kept.append(one)
    return [one for one in rows if one in kept]


def _rows(paragraph: list[_Sentence], weights: Weights) -> list[_Sentence]:
    """Of a table the rows with much of the question, at most `MAX_ROWS`; all of a small one if they are alike."""
    if paragraph[0].piece.kind != "row":
        return paragraph
    scores = [row.weight(weights) for row in paragraph]
    # What all rows have, the column's name for one, tells none of them from the others.
    least = min(scores) + ROW_SHARE * (max(scores) - min(scores)) - 1e-9
    best = [row for row, score in zip(paragraph, scores, strict=True) if score >= least]
    if len(best) > MAX_ROWS and len(best) == len(paragraph) and _size(paragraph) <= SHORT_SECTION:
        return paragraph
    return best if len(best) <= MAX_ROWS else _highest(best, weights)


def _highest(rows: list[_Sentence], weights: Weights) -> list[_Sentence]:
    """The rows of the highest weight, in their order, at most `MAX_ROWS`."""
    highest = max(row.weight(weights) for row in rows)
    return [row for row in rows if row.weight(weights) >= highest - 1e-9][:MAX_ROWS]


def _without_references(shown: str) -> str:
    """A bracketed number in the material must not look like a reference of the answer; in code and formulas it does
    not."""
    return "".join(
        piece if is_verbatim else re.sub(r"\[(?=\d)", r"\\[", piece) for piece, is_verbatim in split_at_verbatim(shown)
    )
