"""Parses files of unknown origin in another process, which may hang, run out of memory or crash without harm.

A worker process is started once and serves many files. Between the two go frames, each a length and that many bytes:
the file's name, whether it is text for certain, and its content one way, "started" and the result the other. Results
are plain values, unpickled without any class, so that a parser taken over by a hostile file cannot make this process
run code.

    ParserPool.load ──name, data──▶ parser_worker.serve ──▶ ingestion.loaders.load
                    ◀──started, result───
"""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, Self

import core.errors
from core.concurrency import in_thread
from core.errors import HostileDocument, SetupError, UnreadableDocument
from ingestion.document import LoadedDocument
from ingestion.parsing.sizes import SizeLimits
from ingestion.parsing.worker import LENGTH, File, ParseLimits, unpack

START_SECONDS = 60.0
"""For Python to start and import a parser: no file's fault, so not part of its time."""

END_SECONDS = 5.0
"""For a process whose pipe is closed to have ended."""

FILES_PER_WORKER = 1_000
"""Parsers leak a little; a new process starts with none of it."""

_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")


class ParserPool:
    """Loads files in up to `workers` processes, each file within `seconds`, `memory_mb` MiB and `max_chars` of text.

    `loaders` names the module whose `load` and `loader_of` the workers call. Use it as an async context manager.
    """

    def __init__(
        self,
        seconds: float,
        memory_mb: int,
        workers: int = 1,
        *,
        max_chars: int = SizeLimits.document_chars,
        loaders: str = "ingestion.loaders",
    ) -> None:
        self._limits = ParseLimits(seconds, memory_mb, max_chars)
        self._loaders = loaders
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the workers. Nothing is loaded afterwards."""
        while self._idle:
            await self._idle.pop().stop()

    async def load(self, name: str, data: bytes, *, is_text: bool = False) -> LoadedDocument:
        """What the file's loader returns, overlong lines cut. With `is_text` it may look like data.

        Raises the loader's `UnreadableDocument` errors as they are, `HostileDocument` where the file exceeds a limit
        or crashes the parser, `OversizedDocument` where it has too much text, `DataDocument` where it looks like data,
        `SetupError` where no worker can be started. A cancelled call ends its worker.
        """
        async with self._worker() as worker:
            return await worker.load(File(name, data, is_text))

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[_Worker]:
        async with self._slots:
            worker = await self._idle_or_new()
            try:
                yield worker
            finally:
                if worker.is_fit:
                    self._idle.append(worker)
                else:
                    # Shielded: a process must not outlive a call that is cancelled a second time.
                    await asyncio.shield(worker.stop())

    async def _idle_or_new(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_fit:
                return worker
            await worker.stop()
        return await _Worker.start(self._loaders, self._limits)


class _Worker:
    """One process, serving one file at a time."""

    def __init__(self, process: asyncio.subprocess.Process, limits: ParseLimits) -> None:
        self._process = process
        self._limits = limits
        self._files = 0
        self._busy = False

    @classmethod
    async def start(cls, loaders: str, limits: ParseLimits) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", "from ingestion.parsing.worker import serve; serve()"),
            *(loaders, str(limits.seconds), str(limits.memory_mb), str(limits.chars)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
            # Ctrl-C is for the parent, which then ends its workers in order.
            start_new_session=True,
        )
        worker = cls(process, limits)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._receive()
        except (TimeoutError, EOFError) as error:
            await worker.stop()
            raise SetupError(
                f"The process that parses files did not start ({sys.executable}, exit status {process.returncode}). "
                "What it printed to the error output says why."
            ) from error
        except BaseException:
            await asyncio.shield(worker.stop())
            raise
        return worker

    @property
    def is_fit(self) -> bool:
        """False once something went wrong, and after many files."""
        return not self._busy and self._files < FILES_PER_WORKER and self._process.returncode is None

    async def load(self, file: File) -> LoadedDocument:
        name = file.name
        self._busy = True
        self._files += 1
        try:
            async with asyncio.timeout(START_SECONDS):
                await self._send(name.encode(errors="surrogatepass"), b"1" if file.is_text else b"", file.data)
                await self._receive()
            async with asyncio.timeout(self._limits.seconds):
                reply = await self._receive()
        except TimeoutError as error:
            raise HostileDocument(
                f"{name}: parsing took longer than {self._limits.seconds:g} s and was stopped. "
                "If you trust the file, raise EDUMOD_PARSE_SECONDS."
            ) from error
        except (EOFError, ConnectionError) as error:
            raise HostileDocument(
                f"{name}: the parser crashed on it ({await self._end()}). Export the file again, or in another format; "
                "if it is large, raise EDUMOD_PARSE_MEMORY_MB."
            ) from error
        return await self._result(name, reply)

    async def _result(self, name: str, reply: bytes) -> LoadedDocument:
        kind, *values = await in_thread(_unpickled, name, reply)
        if kind == "memory" or not reply:
            raise HostileDocument(
                f"{name}: parsing needed more than {self._limits.memory_mb} MiB of memory and was stopped. "
                "If you trust the file, raise EDUMOD_PARSE_MEMORY_MB."
            )
        # From here on the worker is as good as new.
        self._busy = False
        if kind == "document":
            return await in_thread(unpack, values)
        raise _error(name, *values)

    async def _send(self, *frames: bytes) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        for frame in frames:
            pipe.write(LENGTH.pack(len(frame)))
            pipe.write(frame)
        await pipe.drain()

    async def _receive(self) -> bytes:
        """The next frame. Raises `EOFError` where the process ended; a frame too large for its limit reads as empty."""
        pipe = self._process.stdout
        assert pipe is not None
        (length,) = LENGTH.unpack(await pipe.readexactly(LENGTH.size))
        return b"" if length > self._limits.memory_mb * 2**20 else await pipe.readexactly(length)

    async def _end(self) -> str:
        """How the process ended, in words."""
        with suppress(TimeoutError):
            # Its pipe closes a moment before it has ended; ended by us, it would not tell why.
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        await asyncio.shield(self.stop())
        status = self._process.returncode or 0
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    async def stop(self) -> None:
        """End the process, if it has not ended, and wait until nothing is left of it."""
        self._busy = True
        with suppress(ProcessLookupError):
            self._process.kill()
        # Reads what is still in the pipe: a full one would keep it, and so the process's last traces, open.
        await self._process.communicate()


def _environment() -> dict[str, str]:
    """What a worker needs to import the same modules, and no more: keys and passwords are not for parsers."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    # One thread: numerical libraries, imported by a parser, start one per core and reserve memory for each.
    return kept | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


def _unpickled(name: str, reply: bytes) -> tuple[Any, ...]:
    try:
        values: tuple[Any, ...] = _PlainUnpickler(io.BytesIO(reply)).load() if reply else ("memory",)
        return values
    except Exception as error:
        # Bytes that are no pickle of ours raise all kinds of exceptions, and mean one thing.
        raise HostileDocument(
            f"{name}: the parser sent back a reply that cannot be read ({error}). Do not trust this file."
        ) from error


def _error(name: str, kind: str, message: str) -> UnreadableDocument:
    """The loader's own error; an exception that is not one of ours becomes the general one."""
    known = getattr(core.errors, kind, None)
    if isinstance(known, type) and issubclass(known, UnreadableDocument):
        return known(message)
    return UnreadableDocument(f"{name}: the parser failed ({kind}: {message}). Export it again, or in another format.")
