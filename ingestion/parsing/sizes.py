"""Size limits of files, documents and courses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import OversizedDocument
from ingestion.document import LoadedDocument

MIN_LINE_CHARS = 20
"""A shorter line counts as this many characters, because each line takes memory, however short."""


@dataclass(frozen=True)
class SizeLimits:
    """The settings `EDUMOD_MAX_*`: MiB of a file, characters and blocks of a document, characters of a course."""

    file_mb: int = 100
    document_chars: int = 10_000_000
    course_chars: int = 200_000_000
    document_blocks: int = 20_000

    def check_file(self, name: str, size: int) -> None:
        """Raises `OversizedDocument` where a file of `size` bytes is too large to be read."""
        if size > self.file_mb * 2**20:
            raise OversizedDocument(
                f"{name}: {size / 2**20:,.0f} MiB are more than the {self.file_mb:,} MiB that one file may have. "
                "Split or shrink it, or raise EDUMOD_MAX_FILE_MB."
            )


def check_document(name: str, document: LoadedDocument, max_chars: int) -> None:
    """Raises `OversizedDocument` where a document's text is longer than `max_chars` characters."""
    size = sum(max(len(line.text), MIN_LINE_CHARS) for line in document.lines)
    if size > max_chars:
        raise OversizedDocument(
            f"{name}: its {size:,} characters of text are more than the {max_chars:,} that one file may have. "
            "Split it, leave out what nobody will ask about, or raise EDUMOD_MAX_DOCUMENT_CHARS."
        )


def check_blocks(name: str, blocks: int, max_blocks: int) -> None:
    """Raises `OversizedDocument` where a document has more than `max_blocks` blocks."""
    if blocks > max_blocks:
        raise OversizedDocument(
            f"{name}: at least {blocks:,} blocks (sections, questions, threads), over the {max_blocks:,} that one "
            "file may have. Split it, leave out what nobody will ask about, or raise EDUMOD_MAX_DOCUMENT_BLOCKS."
        )


class CourseSize:
    """Characters of text in a course while documents are added to it."""

    def __init__(self, stored: Mapping[str, int], max_chars: int) -> None:
        """`stored` maps the ids of the course's documents to their characters."""
        self._chars = dict(stored)
        self._max_chars = max_chars

    def replace(self, document_id: str, name: str, chars: int) -> None:
        """Count a document instead of its stored version. Raises `OversizedDocument`, counting nothing."""
        total = sum(self._chars.values()) - self._chars.get(document_id, 0) + chars
        # A document that shrinks is welcome even where the course was too large before.
        if total > self._max_chars and chars > self._chars.get(document_id, 0):
            raise OversizedDocument(
                f"{name}: with its {chars:,} characters the course would have {total:,}, more than the "
                f"{self._max_chars:,} that a course may have. Remove documents, or raise EDUMOD_MAX_COURSE_CHARS."
            )
        self._chars[document_id] = chars

    @contextmanager
    def replacing(self, document_id: str, name: str, chars: int) -> Iterator[None]:
        """Count a document while it is built, undone on failure. Raises as `replace`."""
        before = self._chars.get(document_id, 0)
        self.replace(document_id, name, chars)
        try:
            yield
        except BaseException:
            self._chars[document_id] = before
            raise

    def remove(self, document_id: str) -> None:
        """Leave a document out that has no text in the course any more."""
        self._chars.pop(document_id, None)
