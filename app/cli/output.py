"""Output of commands: results on stdout, progress and errors on stderr, JSON on request."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import BaseModel, TypeAdapter
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from core.settings import read_settings

if TYPE_CHECKING:
    from app.wiring import Services
    from core.llm.models import Models
    from core.store.store import Store

T = TypeVar("T")

ANY_WIDTH = 1_000_000
"""Columns of what is no terminal: a program that reads the output wants each line whole."""


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    if not console.is_terminal:
        console.width = ANY_WIDTH
    return console


output = _console(stderr=False)
errors = _console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
CourseOption = Annotated[str, typer.Option("--course", "-c", help="Course id.")]
Replay = Annotated[
    Path | None,
    typer.Option(help="Recording whose replies take the place of a model, as in EDUMOD_LLM_REPLAY (docs/models.md)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan and stop.")]
Prune = Annotated[bool, typer.Option("--prune", help="Remove documents whose file no longer exists.")]


def with_services(work: Callable[[Services], Awaitable[T]], replay: Path | None = None) -> T:
    """Run a command's work with services built from the environment; `replay` is a recording instead of its models.

    Says on stderr which requests are not in a recording.
    """
    from app.wiring import services

    async def run() -> T:
        settings = read_settings()
        if settings.embedding_threads is None:
            settings = settings.model_copy(update={"embedding_threads": os.cpu_count()})
        if replay is not None:
            settings = settings.model_copy(update={"llm_replay": replay})
        async with services(settings) as built:
            try:
                return await work(built)
            finally:
                _list_unrecorded(built.models)

    return asyncio.run(run())


def with_store(work: Callable[[Store], Awaitable[T]]) -> T:
    """Run a command's work with the database that the environment names, without models and indexes."""
    from core.private_files import make_home_private
    from core.store.store import Store

    async def run() -> T:
        settings = read_settings()
        make_home_private(settings.home)
        store = await Store.of(settings)
        try:
            return await work(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


def _list_unrecorded(models: Models) -> None:
    if (player := models.default.player) is not None:
        for prompt, count in sorted(player.missing.items()):
            warn(f"Not in {player.recording.facts.file}: {count} requests of {prompt}", style="yellow")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; yields a function of done and total."""
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        bar = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, object]) -> None:
    """One JSON value on stdout."""
    kind = type(value) if isinstance(value, BaseModel) else object
    sys.stdout.write(TypeAdapter(kind).dump_json(value, indent=2).decode() + "\n")


def say(text: str) -> None:
    """Plain text on stdout."""
    output.print(text, soft_wrap=True, markup=False, highlight=False)


def warn(text: str, style: str | None = None) -> None:
    """Plain text on stderr."""
    errors.print(escape(text), style=style, soft_wrap=True, highlight=False)


def print_done(text: str, as_json: bool, **facts: object) -> None:
    """The text, or the facts as one JSON object."""
    print_json(dict(facts)) if as_json else say(text)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None) -> None:
    """A table on stdout; cells are markup."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    output.print(table)


def shorten(text: str, chars: int) -> str:
    """The text on one line, cut after so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= chars else f"{line[:chars].rstrip()} …"


def duration(seconds: float) -> str:
    """A length of time for people: `1 s`, `45 s`, `12 min`, `3 h 5 min`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
