"""The one way from async code to blocking code."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function (embedding, PDF text, FAISS) in a thread and wait for it."""
    return await asyncio.to_thread(function, *args, **kwargs)
