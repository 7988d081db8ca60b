"""Builds one document: headers, tree, summaries, embeddings, ready to be stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from core.concurrency import in_thread
from core.llm.base import LLM
from core.store.tables import DocumentRow, EmbeddingRow, NodeKind, NodeRow
from core.types import Source, Usage
from ingestion.document import Header, LoadedDocument
from ingestion.parsing.sizes import SizeLimits, check_blocks
from ingestion.questions.detection import HeaderDetector
from ingestion.questions.headers import detect_by_rule
from ingestion.solutions.marks import solutions_apart
from ingestion.summaries import MAX_CHILD_CHARS, Summaries, summarize
from ingestion.tasks import DetectHeaders, Summarize
from ingestion.tree import ARITY, MAX_BLOCK_CHARS, UnstoredNode, build_tree
from retrievers.embedding.chunks import CHUNKING_VERSION, Chunk, chunk_block
from retrievers.embedding.minilm import Embedder

BUILD_VERSION = "8"
"""Changes whenever the same file would be built differently, so that stored documents are built anew."""


EMBEDDING_BATCH = 16
"""Chunks embedded between two reports of progress; an interruption waits for so many."""

Embedded = Callable[[int, int], None]
"""Called with how many of how many chunks of a document are embedded."""


class BuildStage(StrEnum):
    """Where a document stands, for progress displays."""

    LOAD = "load"
    HEADERS = "headers"
    SUMMARIES = "summaries"
    EMBEDDINGS = "embeddings"
    STORED = "stored"


@dataclass(frozen=True)
class Built:
    """The rows of one document."""

    document: DocumentRow
    nodes: list[NodeRow]
    embeddings: list[EmbeddingRow]
    usage: Usage


@dataclass(frozen=True)
class Estimate:
    """About how many model calls a document takes, how many characters they send, and how many chunks are embedded."""

    model_calls: int
    prompt_chars: int
    chunks: int


@dataclass(frozen=True)
class _Located:
    """A chunk with the block that it is from, as the `ordinal`-th."""

    node_id: str
    ordinal: int
    chunk: Chunk


@dataclass(frozen=True)
class Builder:
    llm: LLM
    detector: HeaderDetector
    embedder: Embedder
    max_blocks: int = SizeLimits.document_blocks

    @property
    def fingerprint(self) -> str:
        """Identifies how documents are built: code, prompts, models and sizes."""
        parts = (
            BUILD_VERSION, type(self.detector).__name__, self.llm.model, DetectHeaders.version, Summarize.version,
            str(ARITY), str(MAX_BLOCK_CHARS), self.embedder.model, CHUNKING_VERSION,
        )  # fmt: skip
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def estimate(self, name: str, source: Source, document: LoadedDocument) -> Estimate:
        """What building the document will take, by its headers as the rules find them. Takes time linear in the text.

        Raises `OversizedDocument` where it has more than `max_blocks` blocks.
        """
        document = solutions_apart(document) if source is Source.ASSIGNMENT else document
        headers = detect_by_rule(document, questions=source is Source.ASSIGNMENT)
        root = self._tree(name, document, headers, source is Source.ASSIGNMENT)
        inner = list(root.inner())
        children = sum(len(node.children) for node in inner)
        per_call = len(Summarize.instructions)
        chars = self.detector.prompt_chars(document) + len(inner) * per_call + children * MAX_CHILD_CHARS // 2
        chunks = sum(
            len(chunk_block(document.title, block.heading_path, block.text, self.embedder)) for block in root.blocks()
        )
        return Estimate(self.detector.calls(document) + len(inner), chars, chunks)

    async def build(
        self,
        row: DocumentRow,
        document: LoadedDocument,
        progress: Callable[[BuildStage], None],
        embedded: Embedded = lambda _done, _total: None,
    ) -> Built:
        """The document's rows; `row` is completed with title, pages and warnings.

        Raises `OversizedDocument` where it has more than `max_blocks` blocks.
        """
        row.title, row.pages = document.title, document.pages
        progress(BuildStage.HEADERS)
        is_assignment = row.source == Source.ASSIGNMENT
        document = solutions_apart(document) if is_assignment else document
        detection = await self.detector.detect(document, questions=is_assignment)
        root = await in_thread(self._tree, row.name, document, detection.headers, is_assignment)
        progress(BuildStage.SUMMARIES)
        summaries = await summarize(root, self.llm)
        nodes = await in_thread(_rows, row, root, summaries)
        progress(BuildStage.EMBEDDINGS)
        embeddings = await self._embed(row, nodes, embedded)
        row.warnings = [*document.warnings, *detection.warnings, *summaries.warnings]
        return Built(row, nodes, embeddings, sum(summaries.usages.values(), detection.usage))

    def _tree(self, name: str, document: LoadedDocument, headers: list[Header], is_assignment: bool) -> UnstoredNode:
        # The tree of a document with far too many headers would take long, and much memory.
        leaves = sum(1 for header, following in pairwise(headers) if following.rank <= header.rank)
        check_blocks(name, leaves, self.max_blocks)
        root = build_tree(document, headers, solutions=is_assignment)
        check_blocks(name, sum(1 for _ in root.blocks()), self.max_blocks)
        return root

    async def _embed(self, row: DocumentRow, nodes: list[NodeRow], embedded: Embedded) -> list[EmbeddingRow]:
        """Batch by batch, so that a cancelled run ends soon and little but the vectors is in memory."""
        chunks = await in_thread(self._chunks, row, nodes)
        rows: list[EmbeddingRow] = []
        embedded(0, len(chunks))
        for start in range(0, len(chunks), EMBEDDING_BATCH):
            rows += await in_thread(self._embed_batch, row, chunks[start : start + EMBEDDING_BATCH])
            embedded(len(rows), len(chunks))
        return rows

    def _chunks(self, row: DocumentRow, nodes: list[NodeRow]) -> list[_Located]:
        return [
            _Located(node.id, ordinal, chunk)
            for node in nodes
            if node.kind is NodeKind.BLOCK
            for ordinal, chunk in enumerate(chunk_block(row.title, node.heading_path, node.text, self.embedder))
        ]

    def _embed_batch(self, row: DocumentRow, batch: list[_Located]) -> list[EmbeddingRow]:
        vectors = self.embedder.embed([located.chunk.text for located in batch])
        return [
            self._embedding(row, located.node_id, located.ordinal, located.chunk, vector.astype("<f4").tobytes())
            for located, vector in zip(batch, vectors, strict=True)
        ]

    def _embedding(self, row: DocumentRow, node_id: str, ordinal: int, chunk: Chunk, vector: bytes) -> EmbeddingRow:
        return EmbeddingRow(
            node_id=node_id,
            ordinal=ordinal,
            course_id=row.course_id,
            model=self.embedder.model,
            start=chunk.start,
            end=chunk.end,
            vector=vector,
        )


def _rows(row: DocumentRow, root: UnstoredNode, summaries: Summaries) -> list[NodeRow]:
    """The tree as rows, parents before children. A node's id follows from its document and its ordinal there."""
    ids = {id(node): _node_id(row.id, ordinal) for ordinal, node in enumerate(root.walk())}
    parents = {id(child): ids[id(node)] for node in root.walk() for child in node.children}
    return [
        NodeRow(
            id=ids[id(node)],
            course_id=row.course_id,
            document_id=row.id,
            parent_id=parents.get(id(node)),
            ordinal=ordinal,
            kind=node.kind,
            title=node.title,
            heading_path=list(node.heading_path),
            label=node.label,
            text=node.text,
            solution=node.solution,
            summary=summaries.texts.get(id(node), ""),
            position=node.position.model_dump(mode="json", exclude_defaults=True),
            cost=_cost(summaries.usages.get(id(node))),
        )
        for ordinal, node in enumerate(root.walk())
    ]


def _cost(usage: Usage | None) -> dict[str, object]:
    """What a summary cost, without the time, which differs from run to run."""
    return usage.model_dump(mode="json", exclude={"model_ms"}) if usage else {}


def _node_id(document_id: str, ordinal: int) -> str:
    return hashlib.sha256(f"{document_id}/{ordinal}".encode()).hexdigest()[:32]
