"""The index of a course's passages, which retrievers search by words, by meaning and by sections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from core.concurrency import in_thread
from core.types import Match, Passage, Source
from retrievers.embedding.encoder import Encoder
from retrievers.index.languages import OtherLanguages, Space
from retrievers.index.lexical import TINY, LexicalIndex, Ranking, Scores
from retrievers.index.outline import OutlineNode
from retrievers.index.semantic import SemanticIndex
from retrievers.index.structure import Level, UnitScores
from retrievers.names import Directory
from retrievers.passages import to_node
from retrievers.tokens import tokenize

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

SMALL, SHORT = 1000, 500
"""Passages, and characters of a query, up to which a search, embedding aside, is done on the event loop: elsewhere it
would wait for the interpreter, which it gives up and asks for again several times, longer than it takes.
"""
SAMPLES = 40
"""Passages from all over the material, of whose vectors the offline router has need."""
BYTES_PER_CHAR, BYTES_PER_PASSAGE = 10, 8_000
"""What a passage takes in memory with its words: 8.7 KB were measured for passages of 150 characters."""
BYTES_PER_CHUNK = 1_600
"""What a vector in memory takes."""
BYTES_PER_NODE = 3_000
"""What a passage takes once more as a node of llama-index: 2.9 KB were measured."""
MAX_TITLES_CHARS = 600
"""Of a line of titles: about three lines of a screen for a source, ten for all."""
T = TypeVar("T")


@dataclass(frozen=True)
class CourseIndex:
    """The passages of one course (and source) that are released, ready to be searched.

    Rankings name passages by their position in `passages`.
    """

    course_id: str
    source: Source | None
    passages: tuple[Passage, ...]
    names: Directory
    encoder: Encoder
    """Of the space that the vectors are in."""
    _lexical: LexicalIndex
    _semantic: SemanticIndex
    _sections: Level | None
    _build_outline: Callable[[], OutlineNode]
    _languages: OtherLanguages | None = None
    """Where its own vectors are good for English alone."""

    @property
    def bytes(self) -> int:
        """About how much memory it takes, with what was added to it when it was first used."""
        nodes = BYTES_PER_NODE * len(self.passages) if "nodes" in self.__dict__ else 0
        return self._built_bytes + nodes + (self._languages.bytes if self._languages else 0)

    @cached_property
    def _built_bytes(self) -> int:
        chars = sum(len(passage.text) + len(passage.solution) for passage in self.passages)
        vectors = BYTES_PER_CHUNK * len(self._semantic.positions) if self._semantic.is_in_memory else 0
        return BYTES_PER_CHAR * chars + BYTES_PER_PASSAGE * len(self.passages) + vectors

    @cached_property
    def nodes(self) -> tuple[TextNode, ...]:
        """The passages as llama-index nodes, in the same order. Built on first use."""
        return tuple(to_node(passage) for passage in self.passages)

    @cached_property
    def titles(self) -> str:
        """What its documents and, of a single one, its sections are called, on one line. Built on first use."""
        documents = dict.fromkeys(passage.title for passage in self.passages)
        sections = (passage.heading_path[1:2] or passage.heading_path for passage in self.passages)
        titles = documents if len(documents) > 1 else dict.fromkeys(chain.from_iterable(sections))
        line = ""
        for title in titles:
            if len(line) + len(title) > MAX_TITLES_CHARS:
                return f"{line}; ..."
            line += f"; {title}" if line else title
        return line

    async def lexical(self, query: str, depth: int) -> Ranking:
        """Passages by BM25."""
        if self._is_quick(query):
            return self._lexical.search(tokenize(query), depth)
        return await in_thread(lambda: self._lexical.search(tokenize(query), depth))

    async def semantic(self, query: str, depth: int) -> Ranking:
        """Passages by cosine similarity of their nearest chunk."""
        if space := await self._other_space(query):
            return await space.search(query, lambda vector: space.semantic.search(vector, depth))
        return await self._with_vector(query, lambda vector: self._semantic.search(vector, depth))

    async def evidence(self, query: str, depth: int, *, sections: bool) -> MatchScores:
        """The scores of every passage and, with `sections`, of the section around it. At least the nearest `depth`
        passages have a semantic score."""
        if space := await self._other_space(query):
            evidence = partial(self._evidence, query, depth, None, space.semantic)
            return replace(await space.search(query, evidence), crosses_languages=space.crosses_languages)
        level = self._sections if sections else None
        return await self._with_vector(query, partial(self._evidence, query, depth, level, self._semantic))

    def count(self, token: str) -> int:
        """The number of passages with the token."""
        return self._lexical.count(token)

    def nearest(
        self, query: str, vector: Scores | None, count: int, without: int | None = None
    ) -> tuple[list[float], list[float]]:
        """The highest BM25 scores of passages and the highest similarities of chunks, best first. Blocks.

        The passage at position `without` is left out. Without a vector there are no similarities.
        """
        words = self._lexical.search(tokenize(query), count + 1)
        scores = [score for position, score in words if position != without][:count]
        if vector is None:
            return scores, []
        chunks = self._semantic.near(vector, count + 1)
        near = chunks.similarities if without is None else chunks.similarities[chunks.positions != without]
        return scores, np.sort(near)[::-1][:count].tolist()

    def samples(self, count: int) -> list[tuple[int, Scores]]:
        """At most `count` passages from all over the material, each with the vector of its first chunk. Blocks."""
        positions = sample_positions(len(self.passages), count)
        return [(position, vector) for position in positions if (vector := self._semantic.vector(position)) is not None]

    async def outline(self) -> OutlineNode:
        """The course's summary tree. Built when it is first asked for."""
        return await in_thread(lambda: self._outline)

    @cached_property
    def _outline(self) -> OutlineNode:
        return self._build_outline()

    def _is_quick(self, query: str) -> bool:
        return len(self.passages) <= SMALL and len(query) <= SHORT

    async def _with_vector(self, query: str, then: Callable[[Scores], T]) -> T:
        """What `then` makes of the query's vector."""
        if not self._semantic.is_in_memory:
            # Not on the thread that embeds: others' queries would wait for the database.
            return await in_thread(then, await self.encoder.query(query))
        if self._is_quick(query):
            return then(await self.encoder.query(query))
        return await self.encoder.search(query, then)

    async def _other_space(self, query: str) -> Space | None:
        """The vectors to search where query and material are not both in English; None where they are."""
        return await self._languages.space_for(query) if self._languages else None

    def _evidence(
        self, query: str, depth: int, level: Level | None, semantic: SemanticIndex, vector: Scores
    ) -> MatchScores:
        tokens, chunks = tokenize(query), semantic.near(vector, depth)
        return MatchScores(
            self._lexical.scores(tokens),
            self._lexical.bound(tokens),
            semantic.scores(chunks),
            level.scores(tokens, vector, chunks) if level else None,
            self._lexical.unknown(tokens),
        )


def sample_positions(total: int, count: int) -> range:
    """At most `count` of so many positions, at equal distances."""
    return range(0, total, max(1, total // count))[:count]


@dataclass(frozen=True)
class MatchScores:
    """Lexical and semantic scores of every passage, and of the sections around them if the course has any.

    A score is 0 where nothing matches; `bound` is the highest lexical score that a passage could have for the query,
    to which words that no passage has would add `unknown`.
    """

    lexical: Scores
    bound: float
    semantic: Scores
    sections: UnitScores | None
    unknown: float = 0.0
    crosses_languages: bool = False
    """Whether the query is in another language than the material, so that few words can be the same."""

    def match(self, position: int) -> Match:
        """How well one passage matches."""
        words = float(self.lexical[position]) / max(self.bound + self.unknown, TINY)
        return Match(words=round(min(words, 1.0), 4), meaning=round(float(self.semantic[position]), 4))
