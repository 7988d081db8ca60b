"""`edumod elmes`: teaching scenarios in files of ELMES, of either dialect."""

from __future__ import annotations

import typer

from app.cli.elmes.draw import draw
from app.cli.elmes.evaluate import eval_
from app.cli.elmes.export import commands as export
from app.cli.elmes.generate import generate
from app.cli.elmes.hash import hash_
from app.cli.elmes.judges import judges
from app.cli.elmes.page import page
from app.cli.elmes.pipeline import pipeline
from app.cli.elmes.run import run
from app.cli.elmes.visualize import visualize
from app.cli.eval.compare import compare

commands = typer.Typer(help="Run teaching scenarios: agents that talk by turns, and a judge.", no_args_is_help=True)
commands.command()(generate)
commands.add_typer(export, name="export")
commands.command(name="eval")(eval_)
commands.command()(pipeline)
commands.command()(run)
commands.command()(compare)
commands.command()(page)
commands.command()(judges)
commands.command()(visualize)
commands.command()(draw)
commands.command(name="hash")(hash_)
