"""Runs measurements from the command line; they can be interrupted and continued."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from app.cli.output import progress_bar, warn, with_services, with_store

if TYPE_CHECKING:
    from app.wiring import Services
    from core.store.store import Store

S = TypeVar("S")
T = TypeVar("T")
INTERRUPTED = 130
"""Exit code after Ctrl-C."""

Progress = Callable[[int, int], None]


def measure(what: str, work: Callable[[Services, Progress], Awaitable[T]], replay: Path | None = None) -> T:
    """Run `work` with services and a progress bar; on Ctrl-C, print the command that continues."""
    return _measure(what, work, lambda run: with_services(run, replay))


def measure_in_store(what: str, work: Callable[[Store, Progress], Awaitable[T]]) -> T:
    """The same with nothing but the database."""
    return _measure(what, work, with_store)


def _measure(
    what: str,
    work: Callable[[S, Progress], Awaitable[T]],
    run: Callable[[Callable[[S], Awaitable[T]]], T],
) -> T:
    reached: list[tuple[int, int]] = []

    async def run_work(resources: S) -> T:
        with progress_bar(what) as show:

            def progress(done: int, total: int) -> None:
                reached[:] = [(done, total)]
                show(done, total)

            return await work(resources, progress)

    try:
        return run(run_work)
    except KeyboardInterrupt:
        far = "{} of {} done.".format(*reached[0]) if reached else "Interrupted before anything was measured."
        command = shlex.join(["edumod", *sys.argv[1:]])
        warn(f"{far} Continue with: {command}")
        raise typer.Exit(INTERRUPTED) from None
