"""`edumod doctor`."""

from __future__ import annotations

import asyncio

import typer
from rich.markup import escape

from app.cli.output import AsJson, print_json, print_table
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
    rows = (
        (check.name, f"[{COLOURS[check.state]}]{check.state.value}[/]", escape(check.finding), escape(check.remedy))
        for check in checks
    )
    print_table(("part", "state", "finding", "what to do"), rows, escape(title))
