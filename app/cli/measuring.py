"""Runs measurements from the command line; they can be interrupted and continued."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import typer

from app.cli.output import progress_bar, warn, with_services

if TYPE_CHECKING:
    from app.wiring import Services

T = TypeVar("T")
INTERRUPTED = 130
"""Exit code after Ctrl-C."""

Progress = Callable[[int, int], None]


def measure(what: str, work: Callable[[Services, Progress], Awaitable[T]]) -> T:
    """Run `work` with a progress bar; on Ctrl-C, print the command that continues."""
    reached: list[tuple[int, int]] = []

    async def run_work(services: Services) -> T:
        with progress_bar(what) as show:

            def progress(done: int, total: int) -> None:
                reached[:] = [(done, total)]
                show(done, total)

            return await work(services, progress)

    try:
        return with_services(run_work)
    except KeyboardInterrupt:
        far = "{} of {} done.".format(*reached[0]) if reached else "Interrupted before anything was run_work."
        command = shlex.join(["edumod", *sys.argv[1:]])
        warn(f"{far} Continue with: {command}")
        raise typer.Exit(INTERRUPTED) from None
