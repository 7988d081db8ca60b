"""The process that parses files for `ingestion.parsing.sandbox`: its loop, limits, and documents as plain values."""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

from ingestion.document import Line, LineKind, LoadedDocument, OutlineEntry
from ingestion.parsing.acceptance import admitted

GRACE_SECONDS = 5.0
"""A worker whose pool is gone ends itself this long after a file's time is over."""

LENGTH = struct.Struct(">Q")
"""What stands before each frame in either direction."""


@dataclass(frozen=True)
class ParseLimits:
    """For one file: seconds and MiB for parsing it, and characters of text in it."""

    seconds: float
    memory_mb: int
    chars: int


@dataclass(frozen=True)
class File:
    """A file to parse. With `is_text` it is text even where it looks like data."""

    name: str
    data: bytes
    is_text: bool


def serve() -> None:
    """Answer requests on standard input until it is closed. Arguments: loaders' module and the limits."""
    loaders, limits = sys.argv[1], ParseLimits(float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    module = import_module(loaders)
    _reply(replies, ("ready",))
    # What parsers print would garble the replies or fill somebody's log.
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    while (name := _request(requests)) is not None and (is_text := _request(requests)) is not None:
        if (data := _request(requests)) is None:
            return
        _answer(module, File(name.decode(errors="surrogatepass"), data, bool(is_text)), limits, replies)


def _request(requests: BinaryIO) -> bytes | None:
    header = requests.read(LENGTH.size)
    return requests.read(*LENGTH.unpack(header)) if len(header) == LENGTH.size else None


def _reply(replies: BinaryIO, values: tuple[Any, ...]) -> None:
    _reply_bytes(replies, pickle.dumps(values, protocol=5))


def _reply_bytes(replies: BinaryIO, payload: bytes) -> None:
    replies.write(LENGTH.pack(len(payload)))
    replies.write(payload)
    replies.flush()


def _answer(module: Any, file: File, limits: ParseLimits, replies: BinaryIO) -> None:
    with suppress(Exception):
        # Its failure is `load`'s to report; here the parser is only imported, outside the file's limits.
        module.loader_of(file.name)
    _reply(replies, ("started",))
    _limit(limits)
    payload = b""
    failure: tuple[str, ...] = ()
    try:
        payload = pickle.dumps(("document", *pack(_document(module, file, limits))), protocol=5)
    except MemoryError:
        # Pickled below: here, with what the loader built still in memory, there may be no room for even that.
        failure = ("memory",)
    except Exception as error:
        failure = ("error", type(error).__name__, str(error))
    finally:
        _lift_limits()
    _reply_bytes(replies, payload or pickle.dumps(failure, protocol=5))


def _document(module: Any, file: File, limits: ParseLimits) -> LoadedDocument:
    # Checked here, so that what is refused never crosses the pipe.
    return admitted(module.load, file.name, file.data, is_text=file.is_text, max_chars=limits.chars)


def _limit(limits: ParseLimits) -> None:
    """Memory counts from what the process has now, so that large libraries leave a file as much as small ones."""
    if sys.platform == "win32":
        return
    # Ends the process even in C code, and even if the pool was killed and nobody waits any more.
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + GRACE_SECONDS)
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", "rb") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        limit, hard = now + limits.memory_mb * 2**20, resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def _lift_limits() -> None:
    if sys.platform == "win32":
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    if sys.platform == "linux":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def pack(document: LoadedDocument) -> tuple[Any, ...]:
    """A document as plain values; as objects, its lines would take five times as long to cross the pipe."""
    lines = [
        (
            *(line.text, line.kind.value, line.level, line.size, line.bold, line.page, line.box, line.cell),
            *(line.solution, line.closed, line.edge, line.stub, line.seconds, line.staff, line.notes),
        )
        for line in document.lines
    ]
    outline = [(entry.level, entry.title, entry.page) for entry in document.outline]
    return document.title, lines, outline, document.complete, tuple(document.warnings)


def unpack(values: list[Any]) -> LoadedDocument:
    """The document that `pack` was given."""
    title, lines, outline, complete, warnings = values
    kinds = {kind.value: kind for kind in LineKind}
    return LoadedDocument(
        title,
        tuple([Line(text, kinds[kind], *rest) for text, kind, *rest in lines]),
        tuple(OutlineEntry(*entry) for entry in outline),
        complete,
        warnings,
    )
