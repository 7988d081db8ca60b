"""Files of a cache that may break: written whole or not at all, and read back only if not a bit has changed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from uuid import uuid4

from core.private_files import private_folder, private_opener

_DIGEST_BYTES = hashlib.sha256().digest_size


def write_sealed(path: Path, payload: bytes) -> None:
    """Write the payload behind its SHA-256, for this user alone.

    Safe if several processes do it at once: the last one wins, whole.
    Raises `OSError` where the folder cannot be written; no partial file is left behind.
    """
    private_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with open(temporary, "xb", opener=private_opener) as file:
            file.write(hashlib.sha256(payload).digest())
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_sealed(path: Path) -> bytes | None:
    """The payload; none where the file is truncated or changed. Raises `FileNotFoundError` where there is none."""
    content = path.read_bytes()
    payload = content[_DIGEST_BYTES:]
    return payload if hashlib.sha256(payload).digest() == content[:_DIGEST_BYTES] else None
