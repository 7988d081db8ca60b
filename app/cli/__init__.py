"""The `edumod` command: one module per sub-command. Errors are caught here; docs/cli.md lists the exit codes."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import typer
import typer.main
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from app.cli.output import errors, output
from app.cli.summaries import summary_of
from app.features import FEATURES
from app.operation.variables import environment, unknown_variables
from core.errors import (
    EduModError,
    InvalidInput,
    ModelError,
    NotFound,
    SetupError,
    StorageUnavailable,
    UnknownName,
    UnreadableDocument,
)
from core.files import readable
from core.settings import read_settings

COMPLETING = "_EDUMOD_COMPLETE"
"""Set where a shell asks how a command goes on."""
COMMANDS = tuple(command for feature in FEATURES for command in feature.commands)
"""Each is a module of this package with a function of that name, or with a Typer app `commands`.

Modules are imported when their command is used, so that `serve` does not import evaluation and ingestion.
"""


class Commands(Mapping[str, Any]):
    """Every command by name. Built on access."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        module = import_module(f"app.cli.{name}")
        if hasattr(module, "commands"):
            group = typer.main.get_group(module.commands)
            group.name = name
            return group
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(name)(getattr(module, name))
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class EduMod(TyperGroup):
    """`edumod`, with commands that are built on access, but to list them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": Commands()})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """List the commands without importing their modules."""
        self.commands = {name: TyperCommand(name, help=summary_of(name), rich_markup_mode="rich") for name in COMMANDS}
        super().format_help(ctx, formatter)


cli = typer.Typer(
    name="edumod",
    cls=EduMod,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        output.print(f"edumod {version('edumod')}", highlight=False)
        raise typer.Exit


@cli.callback()
def edumod(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Answer students' questions from a course's own material."""


FILE_PROBLEM = 5
EXIT_CODES: dict[type[EduModError], int] = {
    InvalidInput: 2,
    NotFound: 2,
    UnreadableDocument: 2,
    ModelError: 4,
    SetupError: 5,
    StorageUnavailable: 5,
}


def main() -> None:
    """Run the command line; a typed error becomes one message on stderr and an exit code."""
    # Imported modules are never freed: collecting garbage at every 700th new object slows the start.
    gc.set_threshold(50_000)
    _print_any_name()
    try:
        try:
            _warn_of_unknown_settings()
            cli()
        finally:
            sys.stdout.flush()
    except EduModError as error:
        errors.print(f"[bold red]error:[/] {escape(str(error))}", soft_wrap=True)
        if isinstance(error, UnknownName) and error.kind == "course":
            errors.print(f"Looked in {escape(read_settings().whereabouts)}.", soft_wrap=True, highlight=False)
        sys.exit(next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1))
    except OSError as error:
        if (message := _file_problem(error)) is None:
            raise
        errors.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
        sys.exit(FILE_PROBLEM)
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)


def _print_any_name() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _file_problem(error: OSError) -> str | None:
    """What to say of a file that cannot be read or written; None where an error is about something else."""
    if isinstance(error, BrokenPipeError) or (error.filename is None and error.errno in _ADVICE):
        # Standard output: nothing more can be written to it, not even at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        problem = error.strerror or "it was closed"
        return f"The output cannot be written: {problem}. Write it to another place, and read it to its end."
    if error.filename is None or error.errno is None:
        return None
    advice = _ADVICE.get(error.errno, "Check the path.")
    return (
        f"{readable(str(error.filename))} cannot be used: {error.strerror}. {advice} What was done until then is kept."
    )


_ROOM = "Make room, and run the command again."
_RIGHTS = "Choose another place, or change the permissions."
_ADVICE = {
    errno.ENOSPC: _ROOM, errno.EDQUOT: _ROOM, errno.EFBIG: _ROOM, errno.EIO: "Check the disk.",
    errno.EROFS: _RIGHTS, errno.EACCES: _RIGHTS, errno.EPERM: _RIGHTS,
}  # fmt: skip


def _warn_of_unknown_settings() -> None:
    if COMPLETING not in os.environ:
        for variable in unknown_variables(environment()):
            errors.print(f"[yellow]warning:[/] {escape(str(variable))}", soft_wrap=True, highlight=False)
