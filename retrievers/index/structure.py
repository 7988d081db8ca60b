"""What surrounds a passage: the section it stands in, searched as a unit of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
from numpy.typing import NDArray

from core.types import Passage, Source
from retrievers.index.lexical import LexicalIndex, Scores
from retrievers.index.semantic import NearChunks, highest

Units = NDArray[np.int64]
"""Of each passage, the number of the unit it belongs to, from 0."""


MIN_SECTIONS = 8
"""Fewer tell little: each of a handful of documents is about many things."""
MAX_WEIGHT = 2.0
"""Of a section; a passage weighs 1."""

_Node = tuple[str, ...]
"""A heading with all above it, the document's id first."""


def sections(passages: Sequence[Passage]) -> Units | None:
    """Cuts the passages into sections along their documents' headings. None if that gives a single section, or one
    section for each passage.

    The section of a passage is the smallest unit around it, unless there are sections below that one elsewhere: the
    introduction to a chapter stands alone, beside the chapter's sections. So it does not matter how a book is cut into
    files. Past threads stand alone: a file of threads is no text.
    """
    chains = _grown([_chain(passage) for passage in passages])
    above = {node for chain in chains for node in chain[1:]}
    units = _numbered([chain[0] if chain and chain[0] not in above else (str(n),) for n, chain in enumerate(chains)])
    count = len(set(units.tolist()))
    return units if 1 < count < len(passages) else None


def section_weight(count: int, passages: int) -> float:
    """What each of `count` sections weighs against one of the passages, from 0 to `MAX_WEIGHT`.

    A passage is told from the others by log2(passages) bits, of which log2(count) are in its section and the rest in
    its place there. The weight is half the harmonic mean of these two numbers: little where there are few sections,
    and little where a section hardly holds more than a passage.
    """
    if count < MIN_SECTIONS:
        return 0.0
    section, rest = log2(count), log2(passages / count)
    return min(section * rest / (section + rest), MAX_WEIGHT)


def _chain(passage: Passage) -> list[_Node]:
    """The passage's own heading, those above it, and its document."""
    if passage.source is Source.QA:
        return []
    path = (passage.document_id, *passage.heading_path)
    return [path[:depth] for depth in range(len(path), 0, -1)]


def _grown(chains: Sequence[Sequence[_Node]]) -> list[list[_Node]]:
    """Of each chain the nodes that make a unit: more passages than in the one below, under a document or sub-headings.

    The parts into which a long passage was cut share a heading without sub-headings, which is no section.
    """
    sizes = Counter(node for chain in chains for node in chain)
    inner = {node for chain in chains for node in chain[1:]} | {chain[-1] for chain in chains if chain}
    grown: list[list[_Node]] = []
    for chain in chains:
        kept: list[_Node] = []
        for node in chain:
            if node in inner and sizes[node] > (sizes[kept[-1]] if kept else 1):
                kept.append(node)
        grown.append(kept)
    return grown


def _numbered(nodes: Sequence[_Node]) -> Units:
    numbers: dict[_Node, int] = {}
    return np.array([numbers.setdefault(node, len(numbers)) for node in nodes], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The scores of each unit, the unit of each passage, and what a unit weighs against a passage."""

    units: Units
    weight: float
    lexical: Scores
    semantic: Scores


@dataclass(frozen=True)
class Words:
    """The tokens of a passage: those of each of its headings, and those of its text."""

    headings: tuple[tuple[str, ...], ...]
    text: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        return [*(token for heading in self.headings for token in heading), *self.text]


class Level:
    """The level above the passages: its units, with their words and their centroids in the space of embeddings."""

    def __init__(self, units: Units, words: Sequence[Words], vectors: Scores, positions: Units) -> None:
        """`vectors`, of shape (n, d), are those of all chunks; `positions` those of their passages, -1 for none."""
        self.units = units
        self.weight = section_weight(int(units.max()) + 1, len(units))
        self._lexical = LexicalIndex(_unit_words(units, words))
        self._centroids = _centroids(units, vectors, positions)

    def scores(self, query: Sequence[str], vector: Scores, chunks: NearChunks) -> UnitScores:
        """The scores of every unit for a query, given as a list of tokens and as a vector."""
        return UnitScores(self.units, self.weight, self.lexical(query), self.semantic(vector, chunks))

    def lexical(self, query: Sequence[str]) -> Scores:
        """BM25 of every unit's whole text. The query is a list of tokens."""
        return self._lexical.scores(query)

    def semantic(self, query: Scores, chunks: NearChunks) -> Scores:
        """How near every unit is to the query: its centroid, plus the mean of its two nearest chunks.

        One chunk may be near by chance; two that agree, in a unit near as a whole, seldom are.
        """
        count, units = len(self._centroids), self.units[chunks.positions]
        first = highest(units, chunks.similarities, count)
        rows = np.flatnonzero(chunks.similarities == first[units])
        one = np.full(count, -1)
        one[units[rows]] = rows  # Of equal ones one: the other is the second.
        others = np.delete(np.arange(len(units)), one[one >= 0])
        second = highest(units[others], chunks.similarities[others], count)
        near: Scores = np.where(np.bincount(units, minlength=count) > 1, (first + second) / 2, first)
        near += np.einsum("nd,d->n", self._centroids, query)
        return near


def level_above(passages: Sequence[Passage], words: Sequence[Words], vectors: Scores, positions: Units) -> Level | None:
    """The sections of the passages, for vectors as in `Level`; None where there are none or they weigh nothing."""
    units = sections(passages)
    if units is None or not section_weight(int(units.max()) + 1, len(units)):
        return None
    return Level(units, words, vectors, positions)


def _unit_words(units: Units, words: Sequence[Words]) -> list[list[str]]:
    """Each unit's tokens: every heading once, then all texts."""
    count = int(units.max()) + 1
    headings: list[dict[tuple[str, ...], None]] = [{} for _ in range(count)]
    texts: list[list[str]] = [[] for _ in range(count)]
    for unit, one in zip(units, words, strict=True):
        headings[unit].update(dict.fromkeys(one.headings))
        texts[unit] += one.text
    return [[*(token for heading in headings[n] for token in heading), *texts[n]] for n in range(count)]


def _centroids(units: Units, vectors: Scores, positions: Units) -> Scores:
    sums = np.zeros((int(units.max()) + 1, vectors.shape[1]), dtype=np.float32)
    known = positions >= 0
    np.add.at(sums, units[positions[known]], vectors[known])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    sums /= np.where(lengths > 0, lengths, 1)
    return sums
