"""`edumod elmes visualize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import AsJson, print_done
from core.files import write_atomically
from eval.scenarios.charts import scores_charts
from eval.scenarios.exchange.tables import read_tables


def visualize(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the tables of `edumod elmes eval`.")],
    x_rotation: Annotated[float, typer.Option(help="Rotation of the models' names in degrees.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Draw the means of every model, as stacked bars and as a radar: two PNG files per task, in the same folder."""
    written = []
    for task, scores in read_tables(folder).items():
        for kind, png in scores_charts(scores, task, x_rotation).items():
            path = folder / f"{kind}_{task}.png"
            write_atomically(path, png, private=False)
            written.append(str(path))
    print_done("\n".join(written), as_json, written=written)
