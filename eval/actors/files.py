"""Files of outputs: read, compared with the items of a data set, and measured like any actor."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from core.dataset import I
from core.errors import InvalidInput, NotFound
from eval.actors.base import ActorKind

T = TypeVar("T")
MAX_NAMED = 5
"""Maximum number of ids that a remark names."""


@dataclass(frozen=True)
class OutputFile(Generic[T]):
    """Outputs by item. `items` are the ids of the data set."""

    path: Path
    outputs: Mapping[str, T]
    items: frozenset[str]
    digest: str

    def output(self, item: str) -> T:
        """The output for that item. Raises `NotFound` if the file has none."""
        if item not in self.outputs:
            raise NotFound(f"{self.path.name} has no output for it.")
        return self.outputs[item]

    def remarks(self) -> Iterator[str]:
        """Names ids of the file that the data set lacks, and the reverse."""
        if excess := sorted(self.outputs.keys() - self.items):
            yield f"{self.path.name} has {_named(excess)} that the data set does not have: left out."
        if missing := sorted(self.items - self.outputs.keys()):
            yield f"{self.path.name} lacks {_named(missing)} of the data set: unscored."


@dataclass(frozen=True)
class FileActor(ActorKind[I]):
    """Outputs of people or another program, read from a file."""

    spec: ClassVar[str] = "PATH"
    timed: ClassVar[bool] = False

    name: str
    file: OutputFile[list[str]]

    @property
    def identity(self) -> str:
        return self.file.digest

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(self.file.remarks())

    @classmethod
    def located(cls, spec: str, folder: Path) -> str:
        return str(folder / spec)

    @classmethod
    def made(cls, spec: str, setup: Any) -> Self:
        path = Path(spec)
        digest = digest_of(path)
        return cls(f"{cls.kind}:{path.name}", OutputFile(path, cls.read(path), frozenset(setup.dataset.by_id), digest))

    @classmethod
    @abstractmethod
    def read(cls, path: Path) -> Mapping[str, list[str]]:
        """Outputs by item. Raises `InvalidInput` naming the file and the line of the error."""


def digest_of(path: Path) -> str:
    """Digest of a file's content. Raises `InvalidInput` if the file cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}. Check the path.") from error


def _named(ids: Collection[str]) -> str:
    shown = ", ".join(list(ids)[:MAX_NAMED]) + (", …" if len(ids) > MAX_NAMED else "")
    return f"{len(ids)} id{'s' * (len(ids) != 1)} ({shown})"
