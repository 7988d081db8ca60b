"""Chunk vectors on disk, so that a start need not read them from the database."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path

from core.store.material import StoredBlock
from retrievers.embedding.chunks import CHUNKING_VERSION
from retrievers.index.semantic import ChunkVectors
from retrievers.sealed import read_sealed, write_sealed

log = logging.getLogger("edumod")


def fingerprint_of(blocks: Iterable[StoredBlock], model: str, revision: int) -> str:
    """Identifies what vectors were made from."""
    digest = hashlib.sha256(f"{revision}\0{model}\0{CHUNKING_VERSION}".encode())
    for block in blocks:
        passage = block.passage
        parts = (passage.block_id, passage.title, *passage.heading_path, passage.text)
        digest.update("\0".join(parts).encode("utf-8", "surrogatepass") + b"\0\0")
    return digest.hexdigest()


def read_kept(path: Path, fingerprint: str) -> ChunkVectors | None:
    """The cached vectors, or None if they are missing, outdated or broken; a warning tells of a broken file."""
    try:
        content = read_sealed(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("The index file %s cannot be read (%s); the index is built from the database.", path, error)
        return None
    if content is None:
        log.warning("The index file %s is corrupt; it is built again from the database.", path)
        return None
    return ChunkVectors.from_bytes(content, fingerprint)


def keep(path: Path, vectors: ChunkVectors, fingerprint: str) -> None:
    """Write the vectors to the cache. A failure is logged; the next start then reads the database."""
    try:
        write_sealed(path, vectors.to_bytes(fingerprint))
    except OSError as error:
        log.warning("The index cannot be kept in %s: %s", path, error)
