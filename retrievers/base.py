"""The base class of our retrievers: a llama-index retriever over one course index, async first."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from core.errors import SetupError
from core.llm.base import LLM
from core.types import Match, Passage
from retrievers.index.course_index import CourseIndex
from retrievers.index.lexical import Ranking
from retrievers.options import DEFAULT_OPTIONS, RetrieverOptions
from retrievers.passages import with_path

REPEATED_SHARE = 0.85
"""Share of the different words of two passages that both have where one repeats the other."""
MIN_REPEATED = 8
"""Different words of a passage that can be a repeat; shorter ones are alike by chance."""
_WORD = re.compile(r"\w{3,}")

Paths = Mapping[int, tuple[str, ...]]
"""The titles that a search passed on its way to a passage, by the passage's position in the index."""


def no_match(_position: int) -> Match | None:
    """For retrievers that do not compare words and meanings."""
    return None


@dataclass(frozen=True, slots=True)
class Found:
    """A ranking, the paths to those passages that were reached step by step, and each position's match."""

    ranking: Ranking
    paths: Paths = field(default_factory=dict)
    match: Callable[[int], Match | None] = no_match


def followed_by(upper: Ranking, lower: Ranking, ceiling: float) -> Ranking:
    """The positions of `upper`, then the other ones of `lower`, scaled so that the best of them scores `ceiling`."""
    taken = {position for position, _ in upper}
    rest = [(position, score) for position, score in lower if position not in taken]
    factor = ceiling / (rest[0][1] or 1.0) if rest else 0.0
    return upper + [(position, score * factor) for position, score in rest]


def without_repeats(ranking: Ranking, passages: Sequence[Passage], count: int) -> Ranking:
    """The first `count` of a ranking, without passages that repeat a better one of another file nearly word for word.

    Courses publish a sheet as a notebook, as a page and as a PDF file, and repeat what is the same every week.
    """
    kept: list[tuple[int, float]] = []
    words: list[tuple[str, frozenset[str]]] = []
    for position, score in ranking:
        if len(kept) == count:
            break
        passage = passages[position]
        own = frozenset(_WORD.findall(passage.text.casefold()))
        if any(document != passage.document_id and _is_repeat(own, other) for document, other in words):
            continue
        kept.append((position, score))
        words.append((passage.document_id, own))
    return kept


def _is_repeat(own: frozenset[str], other: frozenset[str]) -> bool:
    return len(own) >= MIN_REPEATED and len(own & other) >= REPEATED_SHARE * len(own | other)


class CourseRetriever(BaseRetriever):
    """Ranks the passages of one index. A new one is made for each search, which costs nothing.

    A subclass implements `rank`. `llm` is for subclasses that ask a model.
    """

    def __init__(
        self,
        index: CourseIndex,
        *,
        top_k: int,
        llm: LLM | None = None,
        options: RetrieverOptions = DEFAULT_OPTIONS,
    ) -> None:
        super().__init__()
        self.index = index
        self.top_k = top_k
        self.llm = llm
        self.options = options

    async def rank(self, query: str) -> Ranking:
        """Positions in the index with scores, best first. May be longer than `top_k`. The query is never empty."""
        # Not abstract: llama-index wraps what implements an abstract method into a span, at a tenth of a millisecond.
        raise NotImplementedError

    async def follow(self, query: str) -> Found:
        """The ranking, with what else is known about its passages."""
        return Found(await self.rank(query))

    async def search(self, query: str) -> list[Passage]:
        """The best passages with their scores, without going through llama-index."""
        passages = self.index.passages
        found = await self._found(query)
        return [
            passages[position].model_copy(
                update={"score": score, "match": found.match(position), "path": found.paths.get(position, ())}
            )
            for position, score in found.ranking
        ]

    @property
    def model(self) -> LLM:
        """The language model to ask. Raises `SetupError` where the retriever was made without one."""
        if self.llm is None:
            raise SetupError(f"The retriever {type(self).__name__} asks a language model: make it with `llm=`.")
        return self.llm

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        nodes = self.index.nodes
        found = await self._found(query_bundle.query_str)
        return [
            NodeWithScore(node=with_path(nodes[position], found.paths.get(position, ())), score=score)
            for position, score in found.ranking
        ]

    async def _found(self, query: str) -> Found:
        query = query.strip()
        if not query or not self.index.passages or self.top_k < 1:
            return Found([])
        found = await self.follow(query)
        return replace(found, ranking=without_repeats(found.ranking, self.index.passages, self.top_k))

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """For llama-index's synchronous engines. Called within a running event loop, it blocks that loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._aretrieve(query_bundle))
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(asyncio.run, self._aretrieve(query_bundle)).result()
