"""Files that are replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from core.private_files import private_folder, private_opener


def write_atomically(path: Path, content: bytes, *, private: bool = True) -> None:
    """Write a file in one step: neither a reader nor a crash meets half of it, and of several writers the last wins.

    Missing folders are created. With `private`, the file and these folders are for this user alone; without it, they
    have the permissions that the user's umask gives.
    Raises `OSError` where the file cannot be written; no partial file is left behind.
    """
    private_folder(path.parent) if private else path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with open(temporary, "xb", opener=private_opener if private else None) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
