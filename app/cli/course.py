"""`edumod course`: course files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape

from app.cli.embedding import embed, reembedding_ahead
from app.cli.ingest import rebuilt_ahead, run_with_progress, show_plan, show_report, slow_files, work_ahead
from app.cli.labels_in import labels_in
from app.cli.output import AsJson, Prune, errors, output, print_json, print_table, warn, with_services
from app.course_files import remember_course_file
from app.material.summary import CourseSummary, summarise
from app.schemas import AnswerParameters
from app.wiring import Services
from core.course import Course, Defaults, course_in, read_course_yaml
from core.course.patterns import slow_patterns
from core.errors import InvalidInput, UnknownName
from core.types import Audience, Source
from core.validation import messages_in
from core.yaml_file import YamlFile
from ingestion.exports import is_export, open_export, with_kept_rules, with_rules
from ingestion.exports.folder import CourseFolder
from ingestion.files import Discovery, Skipped, discover, nothing_in, without_excluded
from ingestion.run_report import IngestionPlan, IngestionReport
from ingestion.set_dates import store_set_dates
from pipelines.configuration import NAMES, resolve
from retrievers.index.calendars import read_calendar
from retrievers.index.released import END_OF_TIME

SHORT_SECONDS = 30.0
"""Work expected to take longer is announced."""

commands = typer.Typer(help="Course files: check them, load them, list the courses.", no_args_is_help=True)
commands.command()(embed)


@commands.command()
def check(path: Annotated[Path, typer.Argument(help="The course file.")], as_json: AsJson = False) -> None:
    """Validate a course file; errors name the line."""
    course = _read(path)
    warnings = list(slow_patterns(course))
    if as_json:
        print_json({"course": course.id, "valid": True, "warnings": warnings})
        return
    _warn(path, warnings)
    output.print(f"{path}: course {course.id} is valid.")


@commands.command()
def load(
    path: Annotated[Path, typer.Argument(help="The course file.")],
    prune: Prune = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say for whom each file is and why, and what loading takes; then stop.")
    ] = False,
    as_file: Annotated[
        bool, typer.Option("--as-file", help="End what was changed in the browser, and take the file as it is.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the outcome of every file behind the summary.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Store a course file and ingest the material it names, exports of platforms too. Fast if nothing has changed.

    The report begins with what can be asked, what is for staff and what needs a look.
    """
    course = _read(path)
    _warn(path, slow_patterns(course))
    with _opened(path, course) as (file_course, material):
        if dry_run:
            _show_plans(file_course, material, prune, as_json)
            return
        reports, summary = _ingest(path, file_course, material, prune=prune, as_file=as_file)
    if as_json:
        dumped = [report.model_dump(mode="json") for report in reports]
        print_json({"course": course.id, "summary": summary.model_dump(mode="json"), "reports": dumped})
    else:
        _show(course, reports, summary, verbose)
    empty = () if prune else tuple(folder for discovery in material.values() for folder in discovery.empty)
    for folder in empty:
        warn(nothing_in(folder))
    if empty or not all(report.ok for report in reports):
        raise typer.Exit(1)


def load_file(path: Path) -> Course:
    """Load a course file of the service's own, without a report."""
    course = _read(path)
    with _opened(path, course) as (file_course, material):
        _ingest(path, file_course, material, prune=True)
    return course


@contextmanager
def _opened(path: Path, course: Course) -> Iterator[tuple[Course, dict[Source, Discovery]]]:
    """The files of each source, exports unpacked as long as the context lasts; and the course with their rules."""
    with ExitStack() as stack:
        exports: dict[str, CourseFolder] = {}
        for source, names in course.material.items():
            for name in filter(is_export, names):
                if name not in exports:
                    exports[name] = stack.enter_context(open_export(_location(path, name), source))
                    course = with_rules(course, exports[name])
        # Material that the file no longer names counts as removed.
        material = {
            source: without_excluded(_discover_material(path, course, source, exports.values()), (), course, source)
            for source in Source
        }
        yield course, material


def _location(path: Path, name: str) -> str:
    return name if name.startswith("https://") else str(path.parent / name)


def _ingest(
    path: Path, file_course: Course, material: Mapping[Source, Discovery], *, prune: bool, as_file: bool = False
) -> tuple[list[IngestionReport], CourseSummary]:
    """Store the course file, and ingest what it names."""
    labels = labels_in(path.parent / file_course.labels) if file_course.labels else {}

    async def work(services: Services) -> tuple[list[IngestionReport], CourseSummary]:
        services.answering.configuration(file_course, {})
        stored = await services.store.courses.find(file_course.id)
        course = file_course
        if stored is not None:
            own = {file.name for discovery in material.values() for file in discovery.files}
            rows = await services.store.material.documents(course.id)
            course = with_kept_rules(course, stored.course, (row.name for row in rows if row.name not in own))
        config = course.model_dump(mode="json")
        held = await services.store.courses.held(course.id)
        if stored is None or stored.config != config or held:
            await services.store.courses.put(course.id, config, as_file=as_file)
            course = await services.store.courses.read(course.id)
        for key, change in (await services.store.courses.held(course.id)).items():
            warn(f"{key} stays as {change.changed_by_name} changed it in the browser. `--as-file` ends that.")
        remember_course_file(services.settings.home, course.id, path)
        for kind, items in labels.items():
            await services.store.evaluations.put_labels(course.id, kind, items)
        reports: list[IngestionReport] = []
        async with services.ingestion() as ingestion:
            for source, discovery in material.items():
                if not discovery.files and not await services.store.material.documents(course.id, source):
                    continue
                plan = await ingestion.plan(course, source, discovery, parse=True, prune=prune)
                if plan.reembedding:
                    errors.print(reembedding_ahead(plan.reembedding), soft_wrap=True)
                if rebuilt := rebuilt_ahead(plan):
                    errors.print(f"{source.value}: {rebuilt}", soft_wrap=True)
                if plan.seconds > SHORT_SECONDS:
                    errors.print(f"{source.value}: {work_ahead(plan)}", *slow_files(plan), sep="\n  ")
                reports.append(await run_with_progress(ingestion, course, source, discovery, prune))
        await store_set_dates(services.store, await services.learning.encoder(course.id), course.id)
        loaded = await services.store.courses.get(course.id)
        calendar = await read_calendar(services.store, loaded, Audience.STAFF, END_OF_TIME)
        return reports, summarise(reports, calendar)

    return with_services(work)


def _show(course: Course, reports: Sequence[IngestionReport], summary: CourseSummary, verbose: bool) -> None:
    """The summary, and below it what needs more room: failures always, the outcome of every file where it is wanted."""
    seconds = sum(report.seconds for report in reports)
    output.print(f"[bold]{escape(course.title or course.id)}[/] loaded in {seconds:.1f} s.", soft_wrap=True)
    for line in summary.lines():
        output.print(escape(line), soft_wrap=True)
    for report in reports:
        if verbose or not report.ok:
            show_report(report)
    if not verbose:
        output.print("Every file with its readers: [bold]--verbose[/], or [bold]--json[/].")


def _show_plans(course: Course, material: Mapping[Source, Discovery], prune: bool, as_json: bool) -> None:
    async def work(services: Services) -> list[IngestionPlan]:
        async with services.ingestion() as ingestion:
            return [
                await ingestion.plan(course, source, discovery, parse=True, prune=prune)
                for source, discovery in material.items()
                if discovery.files
            ]

    plans = with_services(work)
    if as_json:
        print_json({"course": course.id, "plans": [plan.model_dump(mode="json") for plan in plans]})
        return
    for plan in plans:
        print_json(plan) if as_json else show_plan(plan, every_file=True)


def _warn(path: Path, warnings: Iterable[str]) -> None:
    for warning in warnings:
        warn(f"{path}: {warning}")


def _discover_material(path: Path, course: Course, source: Source, exports: Iterable[CourseFolder]) -> Discovery:
    paths = [path.parent / name for name in course.material.get(source, ()) if not is_export(name)]
    own = [export for export in exports if source in export.sources()]
    # What an export leaves out is told once.
    first = [export for export in own if export.sources()[0] is source]
    skipped = [Skipped(f"{export.stem}/{name}", reason) for export in first for name, reason in export.skipped]
    discovery = discover([*paths, *(export.folder(source) for export in own)])
    return replace(discovery, folders=None, skipped=(*discovery.skipped, *skipped))


def _read(path: Path) -> Course:
    """Read a course file, and check that its defaults are valid in requests and that its files exist.

    Raises `InvalidInput` naming the file and the line.
    """
    file = read_course_yaml(path)
    course = course_in(file)
    plain, own = Defaults().model_dump(), course.defaults.model_dump()
    for name in sorted(course.defaults.model_fields_set):
        location = file.location("defaults", name)
        if name not in NAMES:
            raise InvalidInput(f"{location}: defaults: {UnknownName('parameter', name, NAMES)}")
        try:
            resolve(plain, AnswerParameters.model_validate({name: own[name]}).choices, "")
        except ValidationError as error:
            raise InvalidInput(f"{location}: defaults: {name}: {messages_in(error)}.") from error
        except InvalidInput as error:
            raise InvalidInput(f"{location}: defaults: {error}") from error
    _demand_files(course, file)
    return course


def _demand_files(course: Course, file: YamlFile) -> None:
    paths: list[tuple[tuple[int | str, ...], str, str]] = [
        (("material", source.value, number), f"material.{source}", name)
        for source, names in course.material.items()
        for number, name in enumerate(names)
    ]
    if course.labels:
        paths.append((("labels",), "labels", course.labels))
    local = [(loc, key, name) for loc, key, name in paths if not name.startswith("https://")]
    missing = [(loc, key, path) for loc, key, name in local if not (path := file.path.parent / name).exists()]
    if missing:
        raise InvalidInput(
            "\n".join(
                f"{file.location(*loc)}: {key}: There is no file or folder {path}. Correct the name."
                for loc, key, path in missing
            )
        )


@commands.command(name="list")
def list_(as_json: AsJson = False) -> None:
    """List the courses and the number of blocks of each source."""

    async def work(services: Services) -> list[tuple[Course, dict[str, int]]]:
        return [
            (
                stored.course,
                {count.source.value: count.blocks for count in await services.store.material.counts(stored.id)},
            )
            for stored in await services.store.courses.all()
        ]

    courses = with_services(work)
    if as_json:
        print_json({course.id: {"title": course.title, "blocks": blocks} for course, blocks in courses})
        return
    rows = (
        (course.id, course.title, ", ".join(f"{count} {source}" for source, count in blocks.items()))
        for course, blocks in courses
    )
    print_table(("course", "title", "blocks"), rows)
