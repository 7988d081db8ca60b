"""What a draft rests on: its citations with the text around each quotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.store.material import StoredBlock
from core.store.store import Store
from core.types import Citation


@dataclass(frozen=True)
class CitedBlock:
    """A citation with its block; None where the course no longer has it."""

    citation: Citation
    block: StoredBlock | None

    @property
    def text(self) -> str:
        """The block's text; the quotation where the block is gone."""
        return self.block.passage.text if self.block else self.citation.quote


async def evidence_for(store: Store, course_id: str, citations: Sequence[Citation]) -> list[CitedBlock]:
    """The citations with their blocks."""
    blocks = await store.material.blocks_by_id(course_id, [one.block_id for one in citations])
    return [CitedBlock(one, blocks.get(one.block_id)) for one in citations]
