"""`edumod restore`: a database from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.backup import ReplaceOption, show_counts
from app.cli.output import AsJson
from core.settings import read_settings
from core.store.copies.transfer import restore as restore_database


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `edumod backup` wrote.")],
    replace: ReplaceOption = False,
    as_json: AsJson = False,
) -> None:
    """Fill an empty database from a backup: all of it, or nothing where anything goes wrong."""
    show_counts("restored", restore_database(read_settings().url, file, replace=replace), as_json=as_json)
