"""How a block becomes texts short enough for the embedding model, each under its heading path.

A chunk holds whole sentences and lines as far as they fit, and starts with the last ones of the chunk before it, so
that nothing said across a border is lost. The heading path is part of what is embedded: a section on "Results" means
little without its chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.text.sentences import sentence_spans

CHUNKING_VERSION = "1"
"""Changes whenever the same block would be cut differently, so that stored documents are built anew."""
CHUNK_TOKENS = 200
OVERLAP_TOKENS = 48
HEADING_TOKENS = 48
QUERY_WINDOWS = 8
"""Windows of a very long query that are embedded; later ones are left out."""
MAX_WORD_CHARS = 200
"""Longer runs without white space (data, minified code, CJK without punctuation) are cut."""

_WORD = re.compile(rf"\S{{1,{MAX_WORD_CHARS}}}\s*|\s+")


class TokenCounter(Protocol):
    """Counts tokens as the embedding model does."""

    def count_tokens(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """`text` is what is embedded: the heading path, then characters `start` to `end` of the block's own text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Most tokens of a chunk's own text, of what it repeats of the chunk before, and of its headings."""

    chunk: int = CHUNK_TOKENS
    overlap: int = OVERLAP_TOKENS
    heading: int = HEADING_TOKENS

    @classmethod
    def within(cls, max_tokens: int) -> ChunkSizes:
        """Sizes for a model that reads texts of that many tokens: smaller where it reads little."""
        heading = min(HEADING_TOKENS, max_tokens // 5)
        chunk = min(CHUNK_TOKENS, max_tokens - heading)
        return cls(chunk, min(OVERLAP_TOKENS, chunk // 4), heading)


DEFAULT_SIZES = ChunkSizes()


@dataclass(frozen=True, slots=True)
class _Atom:
    """A sentence, line or part of one: characters `start` to `end`, with its length in tokens."""

    start: int
    end: int
    tokens: int


def chunk_block(
    title: str,
    heading_path: Sequence[str],
    text: str,
    counter: TokenCounter,
    sizes: ChunkSizes = DEFAULT_SIZES,
) -> list[Chunk]:
    """Cut a block of the document `title`. Never empty: a block without text gives one chunk of its headings."""
    heading = _heading(title, heading_path, counter, sizes.heading)
    spans = list(_windows(text, counter, sizes.chunk, sizes.overlap))
    if not spans:
        return [Chunk(0, 0, heading)]
    return [Chunk(start, end, f"{heading}\n{text[start:end]}".strip()) for start, end in spans]


def query_windows(query: str, counter: TokenCounter, max_tokens: int) -> list[str]:
    """The query in parts of at most `max_tokens`, which the model reads whole: itself, unless it is very long."""
    if len(query) <= max_tokens:
        return [query]
    # To count it as a whole is much quicker than sentence by sentence.
    if len(query) <= QUERY_WINDOWS * max_tokens and counter.count_tokens(query) <= max_tokens:
        return [query]
    spans = _windows(query, counter, max_tokens, overlap_tokens=0)
    return [query[start:end] for (start, end), _ in zip(spans, range(QUERY_WINDOWS), strict=False)] or [""]


def _heading(title: str, heading_path: Sequence[str], counter: TokenCounter, limit: int) -> str:
    """Title and headings on one line. Of a very long path the last headings stay: they are the most telling."""
    parts = [part for part in dict.fromkeys(part.strip() for part in (title, *heading_path)) if part]
    while len(parts) > 1 and counter.count_tokens(" > ".join(parts)) > limit:
        parts.pop(0)
    return " > ".join(parts)


def _windows(text: str, counter: TokenCounter, limit: int, overlap_tokens: int) -> Iterator[tuple[int, int]]:
    """Spans of at most `limit` tokens at borders of atoms; each repeats up to `overlap_tokens` of the one before."""
    window: list[_Atom] = []
    size = 0
    for atom in _atoms(text, counter, limit):
        if window and size + atom.tokens > limit:
            yield window[0].start, window[-1].end
            window, size = _tail(window, min(overlap_tokens, limit - atom.tokens))
        window.append(atom)
        size += atom.tokens
    if window:
        yield window[0].start, window[-1].end


def _tail(window: Sequence[_Atom], tokens: int) -> tuple[list[_Atom], int]:
    """The last atoms that have at most that many tokens together, never all of them."""
    size, first = 0, len(window)
    while first > 1 and size + window[first - 1].tokens <= tokens:
        first -= 1
        size += window[first].tokens
    return list(window[first:]), size


def _atoms(text: str, counter: TokenCounter, limit: int) -> Iterator[_Atom]:
    for start, end in sentence_spans(text):
        yield from _trimmed(text, start, end, counter, limit)


def _trimmed(text: str, start: int, end: int, counter: TokenCounter, limit: int) -> Iterator[_Atom]:
    """The span without white space at its borders, in parts where it is longer than the limit."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = start + len(piece.strip())
    if start == end:
        return
    tokens = counter.count_tokens(text[start:end])
    if tokens <= limit:
        yield _Atom(start, end, tokens)
    else:
        yield from _words(text, start, end, counter, limit)


def _words(text: str, start: int, end: int, counter: TokenCounter, limit: int) -> Iterator[_Atom]:
    for match in _WORD.finditer(text, start, end):
        word = match.group().rstrip()
        if word:
            yield _Atom(match.start(), match.start() + len(word), min(counter.count_tokens(word), limit))
