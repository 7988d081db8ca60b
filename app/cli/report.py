"""`edumod report`: what runs at night."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, CourseOption, errors, output, print_json, progress_bar, with_services
from app.cli.recall import show_figures
from app.wiring import Services
from core.private_files import private_folder, write_private
from core.store.tables import now
from eval.datasets import course_place, missing_places
from eval.nightly import KIND, NightlyReport, nightly_report
from eval.pages import nightly_page
from eval.retrieval import RetrievalReport, labelled_queries, retrieval_facts, retrieval_plan, retrieval_report
from eval.runner import Runner
from retrievers import RETRIEVERS

commands = typer.Typer(help="Reports that run by themselves.", no_args_is_help=True)
CUTOFFS = (1, 3, 5)
ALARM = 3
"""Exit code where recall has fallen."""


@commands.command(name="nightly")
def nightly_command(
    course: CourseOption,
    retriever: Annotated[
        str | None, typer.Option("--retriever", "-r", help="Retrievers, by commas; all if none.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Lowest recall@5 that is no alarm.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for nightly.json and nightly.html.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Stop asking models once this many USD are spent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure every retriever's recall on the course's labelled queries, add it to the history, and write a page.

    Exit code 3 where recall is below the threshold, significantly below the mean of the last seven nights, or where
    queries could not be answered.
    """
    names = [name.strip() for name in retriever.split(",")] if retriever else [spec.name for spec in RETRIEVERS]

    async def work(services: Services) -> tuple[NightlyReport, RetrievalReport, Path]:
        queries = await labelled_queries(services.store, course)
        facts = await retrieval_facts(services.store, services.embedder.model, services.llm.model, course)
        plan = retrieval_plan(services.indexes, course, queries, names, course_place, facts, KIND)
        runner = Runner(services.store.evaluations, services.llm, services.settings.llm_prices, max_cost_usd=max_cost)
        with progress_bar("queries") as progress:
            outcome = await runner.run(plan, progress)
        measured = retrieval_report(course, queries, outcome, CUTOFFS)
        blocks = await services.store.material.blocks(course, None, now())
        report = await nightly_report(
            services.store.evaluations,
            queries,
            measured,
            outcome,
            at=now(),
            metric=f"recall@{CUTOFFS[-1]}",
            threshold=threshold,
            missing=missing_places(queries, [block.passage for block in blocks]),
            jobs=await services.store.jobs.all(course),
        )
        await runner.finish(outcome, report.summary)
        folder = out or services.settings.home / "reports" / course
        write(folder, report, private=out is None)
        return report, measured, folder

    report, measured, folder = with_services(work)
    if as_json:
        print_json(report)
    else:
        show_figures(measured, CUTOFFS)
        output.print(f"Page: {escape(str(folder / 'nightly.html'))}", soft_wrap=True)
    if report.missing:
        shown = "; ".join(report.missing[:3])
        errors.print(f"{len(report.missing)} labelled places are not in the material: {escape(shown)}", soft_wrap=True)
    for alarm in report.alarms:
        errors.print(f"[bold red]{escape(alarm.retriever)}[/]: {escape(alarm.reason)}", soft_wrap=True)
    if report.alarms:
        raise typer.Exit(ALARM)


def write(folder: Path, report: NightlyReport, *, private: bool) -> None:
    """Both files at once or not at all: whoever reads meanwhile has last night's. Private is what stays in the home."""
    private_folder(folder) if private else folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("nightly.json", report.model_dump_json(indent=2)), ("nightly.html", nightly_page(report))):
        part = folder / f"{name}.part"
        write_private(part, text) if private else part.write_text(text, encoding="utf-8")
        os.replace(part, folder / name)
