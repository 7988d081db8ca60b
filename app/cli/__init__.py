"""The `edumod` command: one module per sub-command, errors caught here.

Exit codes: 0 done; 1 done in part (the report names what failed); 2 wrong input; 3 recall has fallen (nightly report);
4 the language model failed; 5 the installation is incomplete; 130 interrupted.
"""

from __future__ import annotations

import sys

import typer

from app.cli import ask, course, doctor, evaluation, ingest, report, search, serve, trace, tree
from app.cli.output import errors
from core.errors import EduModError, InvalidInput, ModelError, NotFound, SetupError, UnreadableDocument

cli = typer.Typer(
    name="edumod",
    help="Answer students' questions from a course's own material.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
cli.command()(ingest.ingest)
cli.command()(search.search)
cli.command()(ask.ask)
cli.command()(trace.trace)
cli.command()(tree.tree)
cli.command()(serve.serve)
cli.command()(doctor.doctor)
cli.add_typer(course.commands, name="course")
cli.add_typer(evaluation.commands, name="eval")
cli.add_typer(report.commands, name="report")

EXIT_CODES: dict[type[EduModError], int] = {
    InvalidInput: 2,
    NotFound: 2,
    UnreadableDocument: 2,
    ModelError: 4,
    SetupError: 5,
}


def main() -> None:
    """Run the command line; a typed error becomes one message on stderr and an exit code."""
    try:
        cli()
    except EduModError as error:
        errors.print(f"[bold red]error:[/] {_escaped(str(error))}", soft_wrap=True)
        sys.exit(next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1))
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)


def _escaped(text: str) -> str:
    return text.replace("[", "\\[")
