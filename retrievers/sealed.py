"""Cache files with a checksum: written whole or not at all, and read back only if unchanged."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core.files import write_atomically

_DIGEST_BYTES = hashlib.sha256().digest_size


def write_sealed(path: Path, payload: bytes) -> None:
    """Write the payload behind its SHA-256, whole, for this user alone. Raises `OSError`."""
    write_atomically(path, hashlib.sha256(payload).digest() + payload)


def read_sealed(path: Path) -> bytes | None:
    """The payload, or None if the file is truncated or changed. Raises `FileNotFoundError` if it does not exist."""
    content = path.read_bytes()
    payload = content[_DIGEST_BYTES:]
    return payload if hashlib.sha256(payload).digest() == content[:_DIGEST_BYTES] else None
