"""`edumod doctor`."""

from __future__ import annotations

import asyncio

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.output import AsJson, output, print_json
from app.doctor.check import CheckResult, CheckState
from app.doctor.installation import run_checks
from core.settings import read_settings

COLOURS = {CheckState.OK: "green", CheckState.WARNING: "yellow", CheckState.ERROR: "red"}


def doctor(as_json: AsJson = False) -> None:
    """Check database, models and their capabilities, embedding model, OCR and disk, and show how to fix problems."""
    settings = read_settings()
    checks = asyncio.run(run_checks(settings))
    print_json({check.name: check.model_dump(mode="json") for check in checks}) if as_json else _show(
        checks, f"Home: {settings.home.resolve()}"
    )
    if any(check.state is CheckState.ERROR for check in checks):
        raise typer.Exit(1)


def _show(checks: list[CheckResult], title: str) -> None:
    table = Table("part", "state", "finding", "what to do", title=escape(title), title_justify="left")
    for check in checks:
        state = f"[{COLOURS[check.state]}]{check.state.value}[/]"
        table.add_row(check.name, state, escape(check.finding), escape(check.remedy))
    output.print(table)
