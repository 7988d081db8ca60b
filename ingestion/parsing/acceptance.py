"""Which files become documents: text, of a bearable size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.errors import OversizedDocument
from ingestion.document import Line, LoadedDocument
from ingestion.parsing.data_files import check_is_text
from ingestion.parsing.long_lines import with_short_lines
from ingestion.parsing.sizes import MIN_LINE_CHARS, check_document

SLICES = 64
SLICE_BYTES = 8_192


def admit(
    load: Callable[[str, bytes], LoadedDocument], name: str, data: bytes, *, is_text: bool, max_chars: int
) -> LoadedDocument:
    """The document `load` makes, overlong lines cut.

    Raises as `load`, `DataDocument` for what looks like data, `OversizedDocument` above `max_chars`.
    """
    if name.lower().endswith(".txt"):
        _check_plain_text(name, data, is_text, max_chars)
    document = load(name, data)
    if not is_text:
        check_is_text(name, document)
    check_document(name, document, max_chars)
    return with_short_lines(document)


def _check_plain_text(name: str, data: bytes, is_text: bool, max_chars: int) -> None:
    """Say of a large file what can be said before it is loaded: each line, however short, takes memory then."""
    if len(data) <= SLICES * SLICE_BYTES:
        return
    if not is_text:
        check_is_text(name, LoadedDocument(name, tuple(map(Line, _sample_lines(data)))))
    lines = data.count(b"\n")
    if lines * MIN_LINE_CHARS > max_chars:
        raise OversizedDocument(
            f"{name}: its {lines:,} lines are more than the {max_chars // MIN_LINE_CHARS:,} that one file may have. "
            "Split it, leave out what nobody will ask about, or raise EDUMOD_MAX_DOCUMENT_CHARS."
        )


def _sample_lines(data: bytes) -> Iterator[str]:
    for number in range(SLICES):
        start = number * len(data) // SLICES
        lines = data[start : start + SLICE_BYTES].decode("utf-8", "replace").splitlines()
        yield from lines[1:-1]
