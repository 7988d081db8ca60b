"""Atomic replacement of files, and reading of files that strangers have named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from core.errors import TooLarge
from core.private_files import private_folder, private_opener


@contextmanager
def written_atomically(path: Path, *, private: bool = True, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write that gets its name when the block ends: no reader sees and no crash leaves a partial file, and of
    several writers the last wins.

    Creates missing folders. With `private`, only this user can read the file and the created folders; without it,
    their permissions follow the umask. Without `durable`, a power failure may leave an empty file, and writing does not
    wait for the disk. A device or a pipe is written as it is. Raises an `OSError` that names the file if it cannot be
    written.
    """
    temporary = path.with_name(f".{uuid4().hex}")
    try:
        private_folder(path.parent) if private else path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file() and not path.is_dir():
            with open(path, "wb") as file:
                yield file
            return
        with open(temporary, "xb", opener=private_opener if private else None) as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            # A full disk names no file.
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_atomically(path: Path, content: bytes, *, private: bool = True, durable: bool = True) -> None:
    """Write a whole file by `written_atomically`."""
    with written_atomically(path, private=private, durable=durable) as file:
        file.write(content)


def read_regular(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file. Raises `OSError`, also for a link, pipe or device, which is never opened for
    reading, and `TooLarge`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{readable(path.name)} is no regular file")
        if status.st_size > max_bytes:
            raise TooLarge(
                f"{readable(path.name)} has {status.st_size:,} bytes; at most {max_bytes // 2**20} MiB are allowed."
            )
        return file.read(max_bytes + 1)


def readable(name: str) -> str:
    """A file's name for people: bytes that are not UTF-8 as Windows writes them, and no control characters."""
    text = name
    if any("\udc80" <= char <= "\udcff" for char in name):
        text = os.fsencode(name).decode("cp1252", errors="replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
