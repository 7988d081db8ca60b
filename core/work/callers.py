"""For whom the current task works, so that nobody's work keeps another person waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Caller = tuple[str, ...]
"""Who asked, and for which of its people: a forum's key and a student's pseudonym."""
OWN: Caller = ("",)
"""Nobody but the process itself: a command, or work that the service began."""
_caller: ContextVar[Caller] = ContextVar("caller", default=OWN)


def current_caller() -> Caller:
    """For whom this task works."""
    return _caller.get()


def set_caller(*path: str | None) -> None:
    """Work for them from now on, in this task and those that it starts. Empty names are left out."""
    _caller.set(_path(path))


@contextmanager
def working_for(*path: str | None) -> Iterator[None]:
    """Work for them within the block."""
    token = _caller.set(_path(path))
    try:
        yield
    finally:
        _caller.reset(token)


def _path(names: tuple[str | None, ...]) -> Caller:
    return tuple(name for name in names if name) or OWN
