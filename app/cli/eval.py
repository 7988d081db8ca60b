"""`edumod eval`: how well the parts do, in figures with intervals."""

from __future__ import annotations

import typer

from app.cli.functions import functions
from app.cli.headers import headers
from app.cli.recall import retrieval
from app.cli.router import router

commands = typer.Typer(help="Measure how well the parts do.", no_args_is_help=True)
commands.command()(retrieval)
commands.command()(functions)
commands.command()(headers)
commands.command()(router)
