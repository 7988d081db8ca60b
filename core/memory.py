"""Keeps little memory that is free, where the C library can."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

MAX_HEAPS = 2
_M_ARENA_MAX = -8


def share_heaps() -> bool:
    """Let all threads use `MAX_HEAPS` heaps, from now on; False where the C library cannot.

    By default each thread gets one of its own, up to eight a core, and what one frees no other uses: after some hundred
    courses 160 MB lay in them.
    """
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MAX_HEAPS))
    except (OSError, AttributeError, TypeError):
        return False


def release_free_memory() -> bool:
    """Give back what the C library keeps of freed memory, which takes some milliseconds; False where it cannot.

    What is dropped by a cache lies between what is kept, in heaps of several threads, and would otherwise never be
    given back.
    """
    trim = _malloc_trim()
    return bool(trim(0)) if trim else False


@cache
def _malloc_trim() -> Any:
    """glibc's function; None with another C library."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None
