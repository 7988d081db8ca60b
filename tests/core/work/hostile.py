"""Jobs that misbehave, done in processes of the pool."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from core.errors import EncryptedDocument, ModelError


def hang() -> None:
    while True:
        pass


def meet(folder: str, others: int = 3) -> str:
    """Waits in the folder until so many have met there."""
    (Path(folder) / str(os.getpid())).touch()
    for _ in range(1000):
        if len(list(Path(folder).iterdir())) >= others:
            return "met"
        time.sleep(0.01)
    return "alone"


def swell() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(2**20))


def allocate(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def bloat(megabytes: int) -> str:
    return "x" * (megabytes * 2**20)


def crash() -> None:
    ctypes.string_at(0)


def refuse() -> None:
    raise EncryptedDocument("file: a password is needed")


def fail() -> None:
    raise KeyError("lost")


def fail_oddly() -> None:
    raise ModelError("not a job's to raise")


def recurse() -> Any:
    return recurse()


def chatter() -> str:
    sys.stdout.write("garbage on standard output")
    sys.stdout.flush()
    sys.stderr.write("garbage on standard error")
    os.write(1, b"more")
    subprocess.run(["echo", "from a child"], check=True)
    return "said" if not sys.stdin.read() else "input was left"


def an_object() -> Any:
    return subprocess.Popen


def keep(megabytes: int) -> None:
    """Holds memory beyond the job."""
    KEPT.append(os.urandom(2**20) * megabytes)


KEPT: list[bytes] = []


def environment() -> list[str]:
    return list(os.environ)


def modules() -> list[str]:
    return list(sys.modules)


def take_long_to_load() -> None:
    time.sleep(1.5)


def cannot_load() -> None:
    raise ImportError("no such library")
