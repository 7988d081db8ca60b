"""`edumod db`: check a database, bring its schema up to date, copy it into another one."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.backup import ReplaceOption, show_counts
from app.cli.output import AsJson, output, print_json
from core.settings import read_settings
from core.store.copies.transfer import copy as copy_database
from core.store.engine.database import Database
from core.store.engine.schema import HEAD, Schema, SchemaState, refuse_others
from core.store.inspection import Inspection, inspect_database

commands = typer.Typer(help="The database: check it, upgrade it, copy it into another one.", no_args_is_help=True)

TO_UPGRADE = 1
UNUSABLE = 5


@commands.command()
def check(as_json: AsJson = False) -> None:
    """Say what the database is and whether this version can use it. Changes nothing.

    Exit codes: 0 it can be used; 1 it is empty or older, and `edumod db upgrade` makes it usable; 5 it is newer,
    another program's, or cannot be reached.
    """
    inspection = inspect_database(read_settings().url)
    if as_json:
        print_json(_as_json(inspection))
        if inspection.schema.state in (SchemaState.NEWER, SchemaState.FOREIGN):
            raise typer.Exit(UNUSABLE)
    else:
        refuse_others(inspection.schema, inspection.url)
        output.print(escape(_sentence(inspection)), soft_wrap=True)
    if inspection.schema.state is not SchemaState.CURRENT:
        raise typer.Exit(TO_UPGRADE)


def _as_json(inspection: Inspection) -> dict[str, object]:
    return {
        "url": inspection.url,
        "kind": inspection.kind,
        "state": inspection.schema.state.value,
        "schema": inspection.schema.revision,
        "newest": inspection.newest,
        "courses": inspection.courses,
        "drafts": inspection.drafts,
        "processes": inspection.processes,
    }


def _sentence(inspection: Inspection) -> str:
    database, revision = f"{inspection.kind}, {inspection.url}", inspection.schema.revision
    if inspection.schema.state is SchemaState.EMPTY:
        return f"{database}: empty. `edumod db upgrade` creates its tables, as does the first start of the service."
    holds = f"courses: {inspection.courses}, drafts: {inspection.drafts}, running processes: {inspection.processes}"
    if inspection.schema.state is SchemaState.OLDER:
        return (
            f"{database}: of an earlier version, schema {revision}; this one uses {inspection.newest}. "
            f"`edumod db upgrade` changes it ({holds})."
        )
    return f"{database}: up to date, schema {revision} ({holds})."


@commands.command()
def upgrade(as_json: AsJson = False) -> None:
    """Create the tables of an empty database, or change those of an earlier version; the service does so too."""
    database = Database(read_settings().url)

    async def migrate_schema() -> Schema:
        try:
            return await database.migrate()
        finally:
            await database.aclose()

    before = asyncio.run(migrate_schema())
    if as_json:
        print_json({"before": before.revision, "schema": HEAD})
    elif before.state is SchemaState.CURRENT:
        output.print(f"Up to date: schema {HEAD}.")
    else:
        output.print(f"Schema {before.revision or '(none)'} → {HEAD}.")


@commands.command()
def copy(
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The database to fill: sqlite:/// or postgresql://.")],
    replace: ReplaceOption = False,
    as_json: AsJson = False,
) -> None:
    """Copy everything into another database, of the same kind or not. What is written meanwhile is not copied."""
    show_counts("copied", copy_database(read_settings().url, to, replace=replace), as_json=as_json)
