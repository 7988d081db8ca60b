"""What a draft rests on: its citations with the text around each quotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.store.material import StoredBlock
from core.store.store import Store
from core.types import Box, Citation, Source


@dataclass(frozen=True)
class CitedBlock:
    """A citation with its block; None where the course no longer has it."""

    citation: Citation
    block: StoredBlock | None

    @property
    def text(self) -> str:
        return self.block.passage.text if self.block else self.citation.quote

    @property
    def page(self) -> int | None:
        """The page of a PDF that it stands on."""
        is_pdf = self.citation.document.lower().endswith(".pdf")
        return self.citation.page or self.block.passage.position.first_page if self.block and is_pdf else None

    @property
    def boxes(self) -> Sequence[Box]:
        return self.block.passage.position.boxes if self.block else ()

    @property
    def kind(self) -> str:
        """What it looks like, in a word."""
        if self.page is not None:
            return "PDF"
        return "thread" if self.citation.source is Source.QA else "text"


async def evidence_for(store: Store, course_id: str, citations: Sequence[Citation]) -> list[CitedBlock]:
    """The citations with their blocks."""
    blocks = await store.material.blocks_by_id(course_id, [one.block_id for one in citations])
    return [CitedBlock(one, blocks.get(one.block_id)) for one in citations]


async def pdf_of(store: Store, home: Path, course_id: str, cited: CitedBlock) -> Path | None:
    """The file that a citation's block was read from, if it is a PDF that is still stored."""
    if cited.block is None or cited.page is None:
        return None
    documents = await store.material.documents(course_id)
    document = next((one for one in documents if one.id == cited.block.passage.document_id), None)
    file = home / "files" / f"{document.sha256}.pdf" if document else None
    return file if file is not None and file.is_file() else None
