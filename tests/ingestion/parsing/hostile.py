"""Loaders that misbehave as the file's name asks. Imported by the pool's processes in place of the real ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from core.errors import EncryptedDocument
from ingestion.document import Line, LineKind, LoadedDocument, OutlineEntry

EVERYTHING = LoadedDocument(
    "title",
    (
        Line("a", LineKind.CODE, 2, 11.5, True, 3, (1.0, 2.0, 3.0, 4.5), "cell"),
        Line("b", LineKind.OUTPUT, solution=True, closed=True),
        Line("", edge="begin"),
        Line("said", seconds=(1.5, 3.25), staff=True, notes=True),
        Line("\u00e9\U0001f600"),
    ),
    (OutlineEntry(1, "Part", 2),),
    complete=True,
    warnings=("careful",),
)


def loader_of(name: str) -> None:
    """The process imports the parser by this; there is none to import."""


def load(name: str, data: bytes) -> LoadedDocument:
    return ACTIONS[name](data)


def said(text: str) -> LoadedDocument:
    return LoadedDocument(text, (Line(text),))


def hang(data: bytes) -> LoadedDocument:
    while True:
        pass


def allocate(data: bytes) -> LoadedDocument:
    return said(str(len(bytearray(int(data) * 2**20))))


def crash(data: bytes) -> LoadedDocument:
    ctypes.string_at(0)
    return said("unharmed")


def lie(data: bytes) -> LoadedDocument:
    """A parser that was taken over sends what it likes."""
    kind: Any = SimpleNamespace(value="no kind of lines")
    return LoadedDocument("lie", (Line("a lie", kind),))


def refuse(data: bytes) -> LoadedDocument:
    raise EncryptedDocument("file: a password is needed")


def fail(data: bytes) -> LoadedDocument:
    raise KeyError("lost")


ACTIONS: dict[str, Callable[[bytes], LoadedDocument]] = {
    "hang": hang,
    "allocate": allocate,
    "crash": crash,
    "lie": lie,
    "refuse": refuse,
    "fail": fail,
    "everything": lambda data: EVERYTHING,
    "length": lambda data: said(str(len(data))),
}
