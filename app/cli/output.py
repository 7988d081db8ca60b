"""Output of commands: results on stdout, progress and errors on stderr, JSON on request."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import BaseModel, TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from core.settings import read_settings

if TYPE_CHECKING:
    from app.wiring import Services
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


def with_services(work: Callable[[Services], Awaitable[T]]) -> T:
    """Run a command's work with services built from the environment."""
    from app.wiring import services

    async def run() -> T:
        settings = read_settings()
        if settings.embedding_threads is None:
            settings = settings.model_copy(update={"embedding_threads": os.cpu_count()})
        async with services(settings) as built:
            return await work(built)

    return asyncio.run(run())


def with_store(work: Callable[[Store], Awaitable[T]]) -> T:
    """Run a command's work with the database that the environment names, without models and indexes."""
    from core.private_files import make_home_private
    from core.store.store import Store

    async def run() -> T:
        settings = read_settings()
        make_home_private(settings.home)
        store = await Store.open(settings.url, settings.database_busy_seconds, settings.database_statement_seconds)
        try:
            return await work(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; yields a function of done and total."""
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        bar = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def print_json(value: BaseModel | Sequence[BaseModel] | dict[str, object]) -> None:
    """One JSON value on stdout."""
    text = TypeAdapter(type(value)).dump_json(value, indent=2) if isinstance(value, BaseModel) else _dump(value)
    sys.stdout.write(text.decode() + "\n")


def _dump(value: object) -> bytes:
    return TypeAdapter(object).dump_json(value, indent=2)


def print_done(text: str, as_json: bool, **facts: object) -> None:
    """What a command has done: the text, or the facts as one JSON object."""
    if as_json:
        print_json(dict(facts))
    else:
        output.print(text, soft_wrap=True, markup=False, highlight=False)


def duration(seconds: float) -> str:
    """A length of time for people: `1 s`, `45 s`, `12 min`, `3 h 5 min`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
