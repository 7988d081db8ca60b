"""Atomic replacement of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from core.private_files import private_folder, private_opener


@contextmanager
def written_atomically(path: Path, *, private: bool = True, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write that gets its name when the block ends: no reader sees and no crash leaves a partial file, and of
    several writers the last wins.

    Creates missing folders. With `private`, only this user can read the file and the created folders; without it,
    their permissions follow the umask. Without `durable`, a power failure may leave an empty file, and writing does not
    wait for the disk. Raises `OSError` if the file cannot be written.
    """
    private_folder(path.parent) if private else path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with open(temporary, "xb", opener=private_opener if private else None) as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, content: bytes, *, private: bool = True, durable: bool = True) -> None:
    """Write a whole file by `written_atomically`."""
    with written_atomically(path, private=private, durable=durable) as file:
        file.write(content)
