"""`edumod report`: scheduled reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.eval.options import MaxCost, names_in
from app.cli.eval.reports import present
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, CourseOption, errors, output, print_done, print_json, warn, with_services
from app.jobs.in_process import InProcessQueue
from app.mail import mailer_of
from app.review.weekly import summarise_week
from app.setups import labelled_course
from app.weekly_mail import add_weekly_mails
from app.wiring import Services
from core.errors import InvalidInput, SetupError
from eval.nightly import NightlyReport, measure_night, write_nightly
from eval.nightly_page import nightly_page
from eval.runner import RunLimits

commands = typer.Typer(help="Reports for scheduled runs.", no_args_is_help=True)
MAX_NAMED = 3
"""Maximum number of missing locations that the message names."""
ALARM = 3
"""Exit code if recall has dropped."""


@commands.command(name="nightly")
def nightly_command(
    course: CourseOption,
    retriever: Annotated[
        str | None, typer.Option("--retriever", "-r", help="Retrievers, comma-separated; all if none.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="Recall@5 below which the report raises an alarm.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for nightly.json and nightly.html.")] = None,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Measure every retriever's recall on the course's labelled queries, add it to the history, and write a page.

    Exits with 3 if recall is below the threshold or significantly below the mean of the last seven nights, or if
    queries could not be answered.
    """
    names, limits = names_in(retriever or ""), RunLimits(max_cost_usd=max_cost)

    async def work(services: Services, progress: Progress) -> tuple[NightlyReport, Path]:
        setup = await labelled_course(services, course)
        report = await measure_night(services.runner(), services.store, setup, names, threshold, limits, progress)
        return report, out or services.settings.home / "reports" / course

    report, folder = measure("queries", work)
    write_nightly(folder, report, nightly_page(report), private=out is None)
    if as_json:
        print_json(report)
    else:
        present(report.summary, as_json)
        output.print(f"Page: {escape(str(folder / 'nightly.html'))}", soft_wrap=True)
    if report.missing:
        examples = "; ".join(report.missing[:MAX_NAMED])
        warn(f"{len(report.missing)} labelled locations are not in the material: {examples}")
    for alarm in report.alarms:
        errors.print(f"[bold red]{escape(alarm.retriever)}[/]: {escape(alarm.reason)}", soft_wrap=True)
    if report.alarms:
        raise typer.Exit(ALARM)


@commands.command(name="weekly")
def weekly_command(
    course: Annotated[str | None, typer.Option("--course", "-c", help="Course id.")] = None,
    mail: Annotated[
        bool, typer.Option("--mail", help="Send it to the instructors of all courses that want it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a course's students asked last week, or send it by e-mail; nobody gets a week twice.

    On PostgreSQL, workers send it on Mondays by themselves.
    """
    if mail == (course is not None):
        raise InvalidInput("Name a course (--course ID) to read its summary, or give --mail to send all of them.")

    async def work(services: Services) -> None:
        if course is not None:
            summary = await summarise_week(services.questions, await services.store.courses.read(course))
            if as_json:
                print_json({"week": summary.name, "title": summary.title, "text": summary.text})
            else:
                output.print(escape(f"{summary.title}\n\n{summary.text}"), soft_wrap=True)
            return
        if mailer_of(services.settings) is None:
            raise SetupError("No e-mail can be sent: set EDUMOD_SMTP_HOST and EDUMOD_SMTP_FROM.")
        added = await add_weekly_mails(services)
        if isinstance(services.jobs, InProcessQueue):
            await services.jobs.finish()
        failed = [job for job in await services.store.failed_jobs.all() if job.kind == "weekly mail"]
        print_done(
            f"{added} e-mails are on their way; {len(failed)} could not be sent (edumod jobs list).",
            as_json,
            added=added,
            failed=len(failed),
        )

    with_services(work)
