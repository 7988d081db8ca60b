"""Parses untrusted files in the pool, where they may hang, crash or run out of memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from core.concurrency import in_thread
from core.errors import HostileDocument, UnreadableDocument
from core.work.pool import WorkPool
from core.work.process import StopReason, WorkFailed, WorkStopped
from core.work.serving import WorkLimits
from ingestion.document import LoadedDocument
from ingestion.parsing.plain import import_parser, parse, unpack
from ingestion.parsing.sizes import SizeLimits


@dataclass(frozen=True)
class FileParser:
    """Loads files within limits and `max_chars`; `setting` prefixes settings in messages, `loaders` is a module."""

    pool: WorkPool
    limits: WorkLimits
    max_chars: int = SizeLimits.document_chars
    setting: str = "EDUMOD_PARSE"
    loaders: str = "ingestion.loaders"

    async def load(self, name: str, data: bytes, *, is_text: bool = False) -> LoadedDocument:
        """The loader's document. Raises its `UnreadableDocument` errors and what the pool raises;
        `HostileDocument` for exceeded limits and crashes, `OversizedDocument`, `DataDocument`.
        """
        job = partial(parse, self.loaders, name, data, is_text, self.max_chars)
        try:
            packed = await self.pool.run(job, self.limits, prepare=partial(import_parser, self.loaders, name))
            return await in_thread(unpack, packed)
        except WorkStopped as error:
            raise HostileDocument(f"{name}: {self._problem(error)}") from error
        except WorkFailed as error:
            raise UnreadableDocument(
                f"{name}: the parser failed ({error.kind}: {error}). Export it again, or in another format."
            ) from error
        except (TypeError, ValueError, KeyError) as error:
            raise HostileDocument(
                f"{name}: the parser sent back what is no document ({error!r}). Do not trust this file."
            ) from error

    def _problem(self, stopped: WorkStopped) -> str:
        limits = self.limits
        match stopped.reason:
            case StopReason.TIME:
                return (
                    f"parsing took longer than {limits.seconds:g} s and was stopped. "
                    f"If you trust the file, raise {self.setting}_SECONDS."
                )
            case StopReason.MEMORY:
                return (
                    f"parsing needed more than {limits.memory_mb} MiB of memory and was stopped. "
                    f"If you trust the file, raise {self.setting}_MEMORY_MB."
                )
            case StopReason.CRASH:
                return (
                    f"the parser crashed on it ({stopped.detail}). Export the file again, or in another format; "
                    f"if it is large, raise {self.setting}_MEMORY_MB."
                )
            case StopReason.REPLY:
                return f"the parser sent back a reply that cannot be read ({stopped.detail}). Do not trust this file."
