"""`edumod eval`: measures each part, with confidence intervals."""

from __future__ import annotations

import typer

from app.cli.eval.answers import answers
from app.cli.eval.attacks import attacks
from app.cli.eval.compare import compare
from app.cli.eval.computed import code, feedback, headers, privacy
from app.cli.eval.confidence import confidence
from app.cli.eval.export import export
from app.cli.eval.functions import functions
from app.cli.eval.judges import judges
from app.cli.eval.list import list_
from app.cli.eval.retrieval import retrieval
from app.cli.eval.router import router
from app.cli.eval.show import show

commands = typer.Typer(help="Evaluate retrievers, pipelines and other parts.", no_args_is_help=True)
commands.command()(retrieval)
commands.command()(functions)
commands.command()(answers)
commands.command()(judges)
commands.command()(attacks)
commands.command()(headers)
commands.command()(feedback)
commands.command()(code)
commands.command()(router)
commands.command()(confidence)
commands.command()(privacy)
commands.command(name="list")(list_)
commands.command()(show)
commands.command()(compare)
commands.command()(export)
