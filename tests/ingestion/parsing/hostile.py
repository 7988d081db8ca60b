"""Loaders that misbehave as the file's name asks. Imported by the sandbox's worker in place of the real ones."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from core.errors import EncryptedDocument, ModelError
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
    """The worker imports the parser by this; there is none to import."""


def load(name: str, data: bytes) -> LoadedDocument:
    return ACTIONS[name](data)


def said(text: str) -> LoadedDocument:
    return LoadedDocument(text, (Line(text),))


def hang(data: bytes) -> LoadedDocument:
    while True:
        pass


def sleep(data: bytes) -> LoadedDocument:
    time.sleep(float(data))
    return said("slept")


def meet(data: bytes) -> LoadedDocument:
    """Waits in the folder until two others have come to meet it."""
    folder = Path(os.fsdecode(data))
    (folder / str(os.getpid())).touch()
    for _ in range(1000):
        if len(list(folder.iterdir())) >= 3:
            return said("met")
        time.sleep(0.01)
    return said("alone")


def swell(data: bytes) -> LoadedDocument:
    hoard = []
    while True:
        hoard.append(bytearray(2**20))


def allocate(data: bytes) -> LoadedDocument:
    return said(str(len(bytearray(int(data) * 2**20))))


def bloat(data: bytes) -> LoadedDocument:
    return said("x" * (int(data) * 2**20))


def exit_at_once(data: bytes) -> LoadedDocument:
    os._exit(3)


def crash(data: bytes) -> LoadedDocument:
    ctypes.string_at(0)
    return said("unharmed")


def refuse(data: bytes) -> LoadedDocument:
    raise EncryptedDocument("file: a password is needed")


def fail(data: bytes) -> LoadedDocument:
    raise KeyError("lost")


def fail_oddly(data: bytes) -> LoadedDocument:
    raise ModelError("not a loader's to raise")


def recurse(data: bytes) -> LoadedDocument:
    return recurse(data)


def chatter(data: bytes) -> LoadedDocument:
    sys.stdout.write("garbage on standard output")
    sys.stdout.flush()
    sys.stderr.write("garbage on standard error")
    os.write(1, b"more")
    subprocess.run(["echo", "from a child"], check=True)
    return said("said" if not sys.stdin.read() else "input was left")


ACTIONS: dict[str, Callable[[bytes], LoadedDocument]] = {
    "hang": hang,
    "sleep": sleep,
    "meet": meet,
    "swell": swell,
    "allocate": allocate,
    "bloat": bloat,
    "exit": exit_at_once,
    "crash": crash,
    "refuse": refuse,
    "fail": fail,
    "fail oddly": fail_oddly,
    "recurse": recurse,
    "chatter": chatter,
    "everything": lambda data: EVERYTHING,
    "length": lambda data: said(str(len(data))),
    "process": lambda data: said(str(os.getpid())),
    "environment": lambda data: said(" ".join(os.environ)),
    "modules": lambda data: said(" ".join(sys.modules)),
}
