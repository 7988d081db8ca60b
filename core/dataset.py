"""Data sets: a name, and items with their contents and labels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

DIGEST_CHARS = 16
"""Hexadecimal digits kept of an item's digest."""


class Item(Protocol):
    """One labelled item, such as a query with the locations that answer it."""

    @property
    def id(self) -> str: ...

    @property
    def text(self) -> str:
        """A text by which people recognise the item."""
        ...

    @property
    def contents(self) -> tuple[Any, ...]:
        """Everything that an output or a score depends on, as strings, numbers and ordered lists of them."""
        ...


I = TypeVar("I", bound=Item)  # noqa: E741


@dataclass(frozen=True)
class Dataset(Generic[I]):
    """Items in a fixed order. `material` is the digest of a corpus that comes with them; empty for a course."""

    name: str
    items: tuple[I, ...]
    material: str = ""

    @property
    def digest(self) -> str:
        """Equal where contents and labels of all items are equal."""
        return _digest([item.contents for item in self.items])

    @property
    def by_id(self) -> dict[str, I]:
        return {item.id: item for item in self.items}


def item_digest(item: Item) -> str:
    """Equal where contents and labels of both items are equal."""
    return _digest(item.contents)[:DIGEST_CHARS]


def _digest(contents: Sequence[Any]) -> str:
    # repr, not JSON: evaluations stored by earlier versions have this digest, and stay comparable.
    return hashlib.sha256(repr(contents).encode()).hexdigest()
