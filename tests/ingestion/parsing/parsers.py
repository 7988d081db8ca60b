"""A parser of files with a pool of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from ingestion.parsing.parser import FileParser


@asynccontextmanager
async def file_parser(seconds: float = 20, memory_mb: int = 1024, **fields: Any) -> AsyncIterator[FileParser]:
    async with WorkPool() as pool:
        yield FileParser(pool, WorkLimits(seconds, memory_mb), **fields)
