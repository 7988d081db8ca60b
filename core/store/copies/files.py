"""A backup in a file: the records of `rows` as lines of JSON, compressed by gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import InvalidInput
from core.files import written_atomically
from core.store.copies.rows import Record

COMPRESSION = 3
"""Of gzip's levels, one that costs little: vectors, the larger part, hardly shrink."""


def write_file(path: Path, records: Iterable[Record]) -> None:
    """Write a backup for this user alone, as a whole or not at all.

    Raises `InvalidInput` where the file exists or cannot be written.
    """
    if path.exists():
        raise InvalidInput(f"{path} exists already, and a backup replaces no file. Name another one.")
    try:
        with written_atomically(path) as file, gzip.GzipFile("", "wb", COMPRESSION, file, mtime=0) as packed:
            for record in records:
                packed.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    except OSError as error:
        raise InvalidInput(f"The backup cannot be written to {path}: {error.strerror or error}.") from error


def read_file(path: Path) -> Iterator[Record]:
    """The records of a backup. Raises `InvalidInput` where the file is missing, is something else, or is damaged."""
    try:
        with gzip.open(path) as lines:
            for line in lines:
                yield _record(line)
    except (gzip.BadGzipFile, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{path} is not a backup of EduMod, or is damaged: {error}.") from error
    except (EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}. Take another backup.") from error
    except OSError as error:
        raise InvalidInput(f"The backup {path} cannot be read: {error.strerror or error}.") from error


def _record(line: bytes) -> Record:
    record = json.loads(line)
    if not isinstance(record, dict | list):
        raise json.JSONDecodeError("a line is neither an object nor an array", line.decode()[:40], 0)
    return record
