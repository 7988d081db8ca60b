"""llama-index's fusion retriever as its documentation builds it, on the same weights and passages as ours.

Its BM25 retriever is a package of its own that asks for an older bm25s than ours; `Lexical` does what that one does:
bm25s with its own tokenizer, English stop words and Snowball stems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bm25s
import Stemmer
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import Document, NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr
from sentence_transformers import SentenceTransformer

from retrievers.embedding.export import original

CHUNK_TOKENS = 256
OVERLAP_TOKENS = 20


class StandardModel(BaseEmbedding):
    """The same weights as llama-index's users run them: sentence-transformers on all cores."""

    _model: Any = PrivateAttr()

    def __init__(self) -> None:
        super().__init__(model_name="all-MiniLM-L6-v2")
        self._model = SentenceTransformer(str(original()), device="cpu")

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._model.encode(texts, normalize_embeddings=True).tolist()
        return vectors

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class Lexical(BaseRetriever):
    def __init__(self, nodes: Sequence[TextNode], top_k: int) -> None:
        super().__init__()
        self._nodes = nodes
        self._top_k = min(top_k, len(nodes))
        self._stemmer = Stemmer.Stemmer("english")
        self._bm25 = bm25s.BM25()
        self._bm25.index(self._tokens([node.get_content() for node in nodes]), show_progress=False)

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        positions, scores = self._bm25.retrieve(
            self._tokens([query_bundle.query_str]), k=self._top_k, show_progress=False
        )
        return [
            NodeWithScore(node=self._nodes[position], score=float(score))
            for position, score in zip(positions[0], scores[0], strict=True)
        ]


class Fusion:
    """Reciprocal-rank fusion of their vector index and BM25, one query each, no model asked."""

    def __init__(self, documents: Sequence[Document], model: BaseEmbedding, top_k: int) -> None:
        splitter = SentenceSplitter(chunk_size=CHUNK_TOKENS, chunk_overlap=OVERLAP_TOKENS)
        nodes = [node for node in splitter.get_nodes_from_documents(documents) if isinstance(node, TextNode)]
        vectors = VectorStoreIndex(nodes, embed_model=model, show_progress=False)
        self.retriever = QueryFusionRetriever(
            [vectors.as_retriever(similarity_top_k=top_k), Lexical(nodes, top_k)],
            llm=MockLLM(),
            mode=FUSION_MODES.RECIPROCAL_RANK,
            num_queries=1,
            similarity_top_k=top_k,
        )
