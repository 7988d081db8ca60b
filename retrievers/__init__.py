"""From a query to ranked passages of a course.

Adding a retriever: a module with a subclass of `retrievers.base.CourseRetriever`, and a line in `RETRIEVERS`. Nothing
heavy is imported before a retriever is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from core.errors import UnknownName

if TYPE_CHECKING:
    from retrievers.base import CourseRetriever


@dataclass(frozen=True, slots=True)
class RetrieverSpec:
    """A retriever's name, what it does in one line, and where it is made (`module:Class`).

    In place of a class of ours there may be a function with the parameters of `CourseRetriever` that gives any of
    llama-index's retrievers, over the nodes of the course's index.
    """

    name: str
    summary: str
    location: str

    def load(self) -> type[CourseRetriever]:
        """The class. The first one loaded imports llama-index, which takes a second."""
        module, name = self.location.split(":")
        loaded: type[CourseRetriever] = getattr(import_module(module), name)
        return loaded


RETRIEVERS: tuple[RetrieverSpec, ...] = (
    RetrieverSpec("bm25", "Passages that share words with the query (BM25).", "retrievers.bm25:Bm25"),
    RetrieverSpec("vector", "Passages nearest in meaning to the query (embeddings).", "retrievers.vector:Vector"),
    RetrieverSpec("hybrid", "Words and meaning: the two above, their scores combined.", "retrievers.hybrid:Hybrid"),
    RetrieverSpec("tree", "Words and meaning of passage and section; what is named first.", "retrievers.tree:Tree"),
    RetrieverSpec("rrf", "Words and meaning, combined by reciprocal rank.", "retrievers.hybrid:ReciprocalRank"),
    RetrieverSpec("vector_gen", "The best by meaning, ordered by a language model.", "retrievers.vector_gen:VectorGen"),
    RetrieverSpec("hier_gen", "A language model goes down the summary tree.", "retrievers.hier_gen:HierGen"),
)


def retriever_named(name: str) -> RetrieverSpec:
    """Raises `UnknownName` naming the retrievers there are."""
    for spec in RETRIEVERS:
        if spec.name == name:
            return spec
    raise UnknownName("retriever", name, [spec.name for spec in RETRIEVERS])


def retriever_class(name: str) -> type[CourseRetriever]:
    """The retriever's class, imported now if it was not before. Raises `UnknownName`."""
    return retriever_named(name).load()
