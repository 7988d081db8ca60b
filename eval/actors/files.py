"""Files of outputs: read, and held against the items of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from core.errors import InvalidInput, NotFound

T = TypeVar("T")
MAX_NAMED = 5
"""Ids that a remark names."""


@dataclass(frozen=True)
class OutputFile(Generic[T]):
    """Outputs by item. `items` are the ids of the data set."""

    path: Path
    outputs: Mapping[str, T]
    items: frozenset[str]
    digest: str

    def output(self, item: str) -> T:
        """Raises `NotFound` where the file has none for that item."""
        if item not in self.outputs:
            raise NotFound(f"{self.path.name} has no output for it.")
        return self.outputs[item]

    def remarks(self) -> Iterator[str]:
        """Ids that the file has in excess of the data set, and ids that it lacks."""
        if excess := sorted(self.outputs.keys() - self.items):
            yield f"{self.path.name} has {_named(excess)} that the data set does not have: left out."
        if missing := sorted(self.items - self.outputs.keys()):
            yield f"{self.path.name} lacks {_named(missing)} of the data set: unscored."


def digest_of(path: Path) -> str:
    """Equal where the contents of two files are. Raises `InvalidInput` where the file cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}. Check the path.") from error


def _named(ids: Collection[str]) -> str:
    shown = ", ".join(list(ids)[:MAX_NAMED]) + (", …" if len(ids) > MAX_NAMED else "")
    return f"{len(ids)} id{'s' * (len(ids) != 1)} ({shown})"
