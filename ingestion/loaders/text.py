"""Plain text; form feeds separate pages."""

from __future__ import annotations

from core.text.lines import tidy
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode, title_from


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument` for binary data, `EmptyDocument` where there is no text."""
    decoded = decode(name, data)
    pages = decoded.text.rstrip().split("\f")
    lines = tuple(
        Line(tidy(line), page=number if len(pages) > 1 else None)
        for number, page in enumerate(pages, start=1)
        for line in page.removesuffix("\n").split("\n")
    )
    return LoadedDocument(title_from(name), lines, warnings=decoded.warnings)
