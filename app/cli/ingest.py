"""`edumod ingest`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.cli.embedding import reembedding_ahead, reembedding_done
from app.cli.output import (
    AsJson,
    CourseOption,
    DryRun,
    Prune,
    duration,
    errors,
    output,
    print_done,
    print_json,
    with_services,
)
from app.jobs.shared import SharedQueue
from app.jobs.uploads import store_for_ingestion
from app.new_courses import checked, new_course
from app.wiring import Services
from core.costs import cost
from core.course import Course
from core.errors import InvalidInput
from core.llm.offline import OFFLINE_MODEL
from core.types import Source, Visibility
from ingestion.build import BuildStage
from ingestion.exports import is_export, open_export, with_rules
from ingestion.exports.folder import CourseFolder
from ingestion.files import Discovery, Skipped, discover, nothing_in, without_excluded
from ingestion.ingest import Ingestion
from ingestion.kinds import divide
from ingestion.run_report import Action, FileOutcome, IngestedFile, IngestionPlan, IngestionReport

OTHER_COLUMNS = 112
"""Characters that a report's table takes beside the names."""


def ingest(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Files, folders, a course's export, or the https address of a repository."
        ),
    ],
    course: CourseOption,
    source: Annotated[
        Source | None,
        typer.Option("--source", "-s", help="Kind of material; without it the names of folders and files decide."),
    ] = None,
    dry_run: DryRun = False,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Leave out files whose name matches, as in '*/drafts/*'; repeatable."),
    ] = None,
    prune: Prune = False,
    queue: Annotated[
        bool, typer.Option("--queue", help="Let workers do it, a job for each file; needs PostgreSQL.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Ingest course files: parse, find questions and sections, summarise, embed, store.

    Read are PDF (slides too), PowerPoint (.pptx), Word (.docx), notebooks, Markdown, Quarto (.qmd), R Markdown (.Rmd),
    LaTeX (.tex), reStructuredText (.rst), Org (.org), HTML, plain text, captions (.vtt, .srt), code (C, C++, Java,
    Python, R), schedules (.csv, .xlsx, .yaml, .ics) and Q&A threads (.jsonl). Common Cartridges (.imscc), Moodle
    backups (.mbz), zip and tar archives, and exports (.json) of Ed, Piazza and Discourse are unpacked first.

    Only new and changed files are processed; a killed run continues. A course that does not exist is created. One that
    is embedded with another embedding than EDUMOD_EMBEDDING is embedded again first.
    """
    with ExitStack() as stack:
        exports = [stack.enter_context(open_export(path, source)) for path in paths if is_export(path)]
        exported = _exported(exports)
        discovery = _discover([Path(path) for path in paths if not is_export(path)], source, prune)

        async def work(services: Services) -> bool:
            loaded = await course_or_new(services, course, store=not dry_run)
            loaded = await _with_rules(services, loaded, exports, store=not dry_run)
            plans: list[IngestionPlan] = []
            reports: list[IngestionReport] = []
            material = exported + await _divided(services, course, discovery, source)
            async with services.ingestion() as ingestion:
                for kind, files in material:
                    discovered = without_excluded(files, exclude or (), loaded, kind)
                    if queue and not dry_run:
                        await _leave_to_workers(services, course, kind, discovered, as_json)
                        continue
                    if not as_json or dry_run:
                        plans.append(await ingestion.plan(loaded, kind, discovered, parse=True, prune=prune))
                        if not as_json:
                            show_plan(plans[-1], every_file=dry_run)
                    if not dry_run:
                        reports.append(await run_with_progress(ingestion, loaded, kind, discovered, prune))
            if as_json and (dry_run or not queue):
                _print_as_json(loaded.id, plans if dry_run else reports, "plans" if dry_run else "reports", source)
            for report in () if as_json else reports:
                show_report(report)
            return all(report.ok for report in reports)

        if not with_services(work):
            raise typer.Exit(1)


def _exported(exports: Sequence[CourseFolder]) -> list[tuple[Source, Discovery]]:
    """The files of exports, for each source once per export."""
    material: list[tuple[Source, Discovery]] = []
    for export in exports:
        skipped = tuple(Skipped(f"{export.stem}/{name}", reason) for name, reason in export.skipped)
        for kind in export.sources():
            material.append((kind, replace(discover([export.folder(kind)]), skipped=skipped)))
            skipped = ()
    return material


def _discover(paths: list[Path], source: Source | None, prune: bool) -> Discovery | None:
    """The files of ordinary paths, None without a path. Raises `InvalidInput` for folders without a file."""
    if not paths:
        return None
    if source is None and prune:
        raise InvalidInput(f"--prune removes documents of one kind. Say with --source which: {', '.join(Source)}.")
    discovery = discover(paths)
    if discovery.empty and not prune:
        raise InvalidInput(" ".join(map(nothing_in, discovery.empty)))
    return discovery


async def _divided(
    services: Services, course: str, discovery: Discovery | None, source: Source | None
) -> list[tuple[Source, Discovery]]:
    """The files by kind: all of `source`, or each as the course has it already, else as its name says."""
    if discovery is None:
        return []
    if source is not None:
        return [(source, discovery)]
    stored = await services.store.material.documents(course)
    return divide(discovery, {row.name: Source(row.source) for row in stored})


async def _with_rules(services: Services, course: Course, exports: Sequence[CourseFolder], *, store: bool) -> Course:
    """The course with the exports' rules, stored: they also hold when other files are added later."""
    changed = course
    for export in exports:
        changed = with_rules(changed, export)
    if store and changed != course:
        rules = changed.model_dump(mode="json")["documents"]
        await services.store.courses.put_documents(course.id, rules)
    return changed


def _print_as_json(
    course: str, parts: Sequence[IngestionPlan | IngestionReport], key: str, source: Source | None
) -> None:
    """One object: the plan or report of a single source as it is, those of several by a key."""
    if source is not None and len(parts) == 1:
        print_json(parts[0])
    else:
        print_json({"course": course, key: [part.model_dump(mode="json") for part in parts]})


async def _leave_to_workers(
    services: Services, course: str, source: Source, discovery: Discovery, as_json: bool
) -> None:
    """Raises `InvalidInput` where there are no workers."""
    if not isinstance(services.jobs, SharedQueue):
        raise InvalidInput("--queue needs PostgreSQL (EDUMOD_DATABASE_URL), whose workers ingest. Leave it out.")
    added = await store_for_ingestion(services, course, source, discovery.files)
    print_done(f"{added} files wait for workers; `edumod jobs list` shows them.", as_json, added=added)


async def course_or_new(services: Services, course_id: str, *, store: bool) -> Course:
    """The stored course, or a new one with defaults. Raises `InvalidInput` for an impossible id."""
    stored = await services.store.courses.find(course_id)
    if stored:
        return stored.course
    if not store:
        return checked({"id": course_id})
    created = await new_course(services.store, {"id": course_id})
    errors.print(f"Course [bold]{escape(course_id)}[/] created with default settings.")
    return created


async def run_with_progress(
    ingestion: Ingestion, course: Course, source: Source, discovery: Discovery, prune: bool
) -> IngestionReport:
    """Ingest, and show the progress of documents on stderr."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        bar = progress.add_task(source.value, total=len(discovery.files))
        shares: dict[str, float] = {}

        def show(name: str, share: float, label: str) -> None:
            shares[name] = share
            progress.update(bar, description=escape(f"{source.value}: {label}"), completed=sum(shares.values()))

        def show_reembedded(done: int, total: int) -> None:
            progress.update(bar, description=f"{source.value}: embedded again {done:,} / {total:,}")

        report = await ingestion.run(
            course,
            source,
            discovery,
            prune=prune,
            progress=lambda name, stage: show(name, float(stage is BuildStage.STORED), stage.value),
            # Embedding takes nearly all of the time.
            embedded=lambda name, done, total: show(name, done / max(total, 1), embeddings_label(done, total)),
            reembedded=show_reembedded,
        )
        progress.update(bar, completed=len(discovery.files))
    return report


def embeddings_label(done: int, total: int) -> str:
    """As in `embeddings 1,200 / 20,000`."""
    return f"{BuildStage.EMBEDDINGS.value} {done:,} / {total:,}"


def show_plan(plan: IngestionPlan, *, every_file: bool = False) -> None:
    """Print the plan to stderr; `every_file` adds a line for each file's audience."""
    counts = [f"{len(plan.files_with(action))} {action.value}" for action in Action if plan.files_with(action)]
    if plan.reembedding:
        errors.print(reembedding_ahead(plan.reembedding), soft_wrap=True)
    errors.print(f"[bold]Plan[/] for {plan.course}, {plan.source.value}: {', '.join(counts) or 'no files'}.")
    if rebuilt := rebuilt_ahead(plan):
        errors.print(rebuilt, soft_wrap=True)
    if plan.model_calls and plan.model != OFFLINE_MODEL:
        errors.print(_estimate(plan))
    if plan.embeddings:
        errors.print(work_ahead(plan))
    for file in plan.files:
        remarks_ahead = [
            file.reason,
            *([f"{file.action.value}, {file.audience}"] if every_file and file.audience else []),
        ]
        for remark in filter(None, remarks_ahead):
            own = remark.removeprefix(f"{file.name}: ")
            errors.print(f"  [yellow]{escape(file.name)}[/]: {escape(own)}", soft_wrap=True)
    for warning in slow_files(plan):
        errors.print(f"  {warning}")


def rebuilt_ahead(plan: IngestionPlan) -> str:
    """How many unchanged files are read anew, and the cost; empty if none."""
    rebuilt = [file for file in plan.files if file.rebuilt]
    if not rebuilt:
        return ""
    calls = sum(file.model_calls for file in rebuilt)
    asked = f", at most {calls:,} calls of model {escape(plan.model)}" if plan.model != OFFLINE_MODEL else ""
    chunks = sum(file.embeddings for file in rebuilt)
    return (
        f"{len(rebuilt):,} unchanged {'file is' if len(rebuilt) == 1 else 'files are'} read anew, because this version "
        f"reads files or asks the model in another way: about {chunks:,} chunks, about "
        f"{duration(sum(file.seconds for file in rebuilt))}{asked}."
    )


def work_ahead(plan: IngestionPlan) -> str:
    """How much will be embedded, and the estimated time."""
    files = sum(1 for file in plan.files if file.embeddings)
    return (
        f"To embed: {files:,} {'file' if files == 1 else 'files'}, {plan.bytes / 1e6:,.1f} MB, about "
        f"{plan.embeddings:,} chunks, about {duration(plan.seconds)}."
    )


def slow_files(plan: IngestionPlan) -> list[str]:
    """A warning for each file that alone takes more than a minute."""
    return [
        f"[yellow]{escape(file.name)}[/]: {file.chars:,} characters of text, about {file.embeddings:,} chunks, alone "
        f"about {duration(file.seconds)}."
        for file in plan.files
        if file.is_slow
    ]


def _estimate(plan: IngestionPlan) -> str:
    return (
        f"At most {plan.model_calls:,} calls of model {escape(plan.model)}, about {plan.prompt_tokens:,} + "
        f"{plan.completion_tokens:,} tokens, cost {cost(plan.cost_usd)}. Cached calls are not repeated."
    )


def show_report(report: IngestionReport) -> None:
    """The outcome of each file, on stdout."""
    table = Table(title=f"Ingested into {report.course} ({report.source.value})", title_justify="left")
    for column in ("document", "outcome", "for"):
        table.add_column(column, no_wrap=True)
    for column in ("pages", "blocks", "questions", "with solution", "embeddings", "for staff"):
        table.add_column(column, justify="right", no_wrap=True)
    for file in report.files:
        if file.outcome is not FileOutcome.UNCHANGED:
            table.add_row(*_row(file))
    if report.reembedding:
        output.print(reembedding_done(report.reembedding), soft_wrap=True)
    if table.row_count:
        # A name that is broken into lines cannot be copied into a rule of the course file.
        longest = max(len(file.name) for file in report.files)
        output.print(table, width=max(output.width, longest + OTHER_COLUMNS), crop=False)
    for file in report.files:
        for remark in filter(None, (file.reason, *file.warnings, *remarks(file))):
            own = remark.removeprefix(f"{file.name}: ")
            output.print(f"[yellow]{escape(file.name)}[/]: {escape(own)}", soft_wrap=True)
    counts = [
        f"{len(report.files_with(outcome))} {outcome.value}" for outcome in FileOutcome if report.files_with(outcome)
    ]
    if variants := sum(bool(file.variant_of) for file in report.files):
        works = len({file.variant_of for file in report.files if file.variant_of})
        output.print(f"{variants:,} are other formats or copies of {works:,} documents, which are searched instead.")
    asked = "no model was called"
    if report.usage.prompt_tokens:
        asked = f"{report.usage.calls:,} calls of {escape(report.model)}, cost {cost(report.usage.cost_usd)}"
    output.print(f"{', '.join(counts) or 'Nothing to do'} in {report.seconds:.1f} s; {asked}.")


def remarks(file: IngestedFile) -> Iterator[str]:
    """What an instructor should know of a file: audience, joined solutions, release."""
    if file.visibility is Visibility.STAFF and file.outcome is FileOutcome.INDEXED:
        yield f"{file.audience}."
    elif file.staff_chars:
        share = file.staff_chars / file.chars
        yield f"{file.staff_chars:,} of {file.chars:,} characters ({share:.0%}) are for staff: {file.staff_reason}."
    if file.variant_of and file.outcome is FileOutcome.INDEXED:
        yield f"the same work as {file.variant_of}, which is searched instead."
    if file.paired_with:
        joined = f": {file.joined} {'question' if file.joined == 1 else 'questions'}" if file.joined else ""
        yield f"joined to {', '.join(file.paired_with)}{joined}."
    if file.unpaired:
        yield f"questions that the assignment does not have: {', '.join(file.unpaired)}."
    if file.release_at:
        yield f"not found by any question before {file.release_at}."


def _row(file: IngestedFile) -> tuple[str, ...]:
    colour = {FileOutcome.FAILED: "red", FileOutcome.INDEXED: "green"}.get(file.outcome, "yellow")
    readers = "staff" if file.visibility is Visibility.STAFF else "students"
    numbers = (file.pages, file.blocks, len(file.labels), file.solutions, file.embeddings, file.staff_chars)
    readers = readers if file.outcome is FileOutcome.INDEXED else ""
    return (escape(file.name), f"[{colour}]{file.outcome.value}[/]", readers, *(f"{n:,}" if n else "" for n in numbers))
