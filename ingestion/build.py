"""Builds one document: headers, tree, summaries, embeddings, ready to be stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from core.concurrency import in_thread
from core.embedding import Embedding
from core.llm.base import LLM
from core.store.facts import NO_FACTS, CourseFacts
from core.store.tables import DocumentRow, EmbeddingRow, NodeKind, NodeRow
from core.store.vectors import BlockText
from core.types import Source, Usage
from ingestion.document import Header, LoadedDocument
from ingestion.embedding import Embedded, embed_blocks
from ingestion.facts.reading import read_facts
from ingestion.parsing.sizes import SizeLimits, check_blocks
from ingestion.questions.detection import HeaderDetector
from ingestion.questions.headers import detect_by_rule
from ingestion.questions.pairs import with_pairs
from ingestion.solutions.apart import solutions_apart
from ingestion.summaries import MAX_CHILD_CHARS, Summaries, summarize
from ingestion.tasks import DetectHeaders, Summarize
from ingestion.tree import ARITY, MAX_BLOCK_CHARS, UnstoredNode, build_tree
from retrievers.embedding.chunks import CHUNKING_VERSION, DEFAULT_SIZES, ChunkSizes, chunk_block
from retrievers.embedding.encoder import Encoder

BUILD_VERSION = "13"
"""Changes whenever the same file would be built differently, so that stored documents are built anew."""


EMBEDDING = "all-MiniLM-L6-v2-int8"
"""Part of the fingerprint of documents from before a course had any other embedding, which are not built anew."""


class BuildStage(StrEnum):
    """Where a document stands, for progress displays."""

    LOAD = "load"
    HEADERS = "headers"
    SUMMARIES = "summaries"
    EMBEDDINGS = "embeddings"
    STORED = "stored"


@dataclass(frozen=True)
class Built:
    document: DocumentRow
    nodes: list[NodeRow]
    embeddings: list[EmbeddingRow]
    embedding: Embedding
    usage: Usage
    facts: CourseFacts = NO_FACTS


@dataclass(frozen=True)
class Estimate:
    """About the model calls, characters sent and chunks of a document, and its blocks (label, text, solution)."""

    model_calls: int
    prompt_chars: int
    chunks: int
    blocks: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Builder:
    llm: LLM
    detector: HeaderDetector
    encoder: Encoder
    max_blocks: int = SizeLimits.document_blocks

    @property
    def fingerprint(self) -> str:
        """How documents are built; vectors have their own."""
        parts = (
            BUILD_VERSION, type(self.detector).__name__, self.llm.model, DetectHeaders.version, Summarize.version,
            str(ARITY), str(MAX_BLOCK_CHARS), EMBEDDING, CHUNKING_VERSION,
        )  # fmt: skip
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def estimate(
        self, name: str, source: Source, document: LoadedDocument, sizes: ChunkSizes = DEFAULT_SIZES
    ) -> Estimate:
        """What building will take, in linear time. Raises `OversizedDocument` above `max_blocks`."""
        document = _prepare(document, source)
        headers = detect_by_rule(document, questions=source is Source.ASSIGNMENT)
        root = self._tree(name, document, headers, source is Source.ASSIGNMENT)
        inner = list(root.inner())
        children = sum(len(node.children) for node in inner)
        per_call = len(Summarize.instructions)
        chars = self.detector.prompt_chars(document) + len(inner) * per_call + children * MAX_CHILD_CHARS // 2
        chunks = sum(
            len(chunk_block(document.title, block.heading_path, block.text, self.encoder, sizes))
            for block in root.blocks()
        )
        blocks = tuple((block.label or "", block.text, block.solution) for block in root.blocks())
        return Estimate(self.detector.calls(document) + len(inner), chars, chunks, blocks)

    async def build(
        self,
        row: DocumentRow,
        document: LoadedDocument,
        progress: Callable[[BuildStage], None],
        embedded: Embedded = lambda _done, _total: None,
    ) -> Built:
        """The document's rows; completes `row`. Raises `OversizedDocument` above `max_blocks`."""
        row.title, row.pages = document.title, document.pages
        progress(BuildStage.HEADERS)
        is_assignment = row.source == Source.ASSIGNMENT
        document = _prepare(document, row.source)
        detection = await self.detector.detect(document, questions=is_assignment)
        root = await in_thread(self._tree, row.name, document, detection.headers, is_assignment)
        progress(BuildStage.SUMMARIES)
        summaries = await summarize(root, self.llm)
        nodes = await in_thread(_rows, row, root, summaries)
        facts = await in_thread(read_facts, row, nodes)
        progress(BuildStage.EMBEDDINGS)
        blocks = [
            BlockText(node.id, row.title, tuple(node.heading_path), node.text)
            for node in nodes
            if node.kind is NodeKind.BLOCK
        ]
        embedding = await self.encoder.embedding()
        embeddings = await embed_blocks(self.encoder, row.course_id, blocks, embedded)
        row.warnings = [*document.warnings, *detection.warnings, *summaries.warnings]
        return Built(row, nodes, embeddings, embedding, sum(summaries.usages.values(), detection.usage), facts)

    def _tree(self, name: str, document: LoadedDocument, headers: list[Header], is_assignment: bool) -> UnstoredNode:
        # The tree of a document with far too many headers would take long, and much memory.
        leaves = sum(1 for header, following in pairwise(headers) if following.rank <= header.rank)
        check_blocks(name, leaves, self.max_blocks)
        root = build_tree(document, headers, solutions=is_assignment)
        check_blocks(name, sum(1 for _ in root.blocks()), self.max_blocks)
        return root


def _prepare(document: LoadedDocument, source: str) -> LoadedDocument:
    return solutions_apart(document) if source == Source.ASSIGNMENT else with_pairs(document)


def _rows(row: DocumentRow, root: UnstoredNode, summaries: Summaries) -> list[NodeRow]:
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
