"""`edumod label import`: questions about code from other systems, as labels of a course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, errors, output, print_json, with_services
from app.course_files import labels_folder
from app.wiring import Services
from core.concurrency import in_thread
from core.types import Audience
from eval.datasets.answers import KIND
from eval.datasets.imported.dodona import read_dodona
from eval.datasets.imported.folder import read_folder
from eval.datasets.imported.labels import Imported, import_questions
from eval.datasets.imported.question import ImportedQuestion

commands = typer.Typer(
    help="Add questions about code from other systems to the labels of a course, with the answers of staff.",
    no_args_is_help=True,
)
CourseId = Annotated[str, typer.Option("--course", "-c", help="Course id.")]
Split = Annotated[str, typer.Option(help="Split of the new labels: dev or test.")]


@commands.command()
def dodona(
    file: Annotated[Path, typer.Argument(help="JSON: one question or a list of them.")],
    course: CourseId,
    split: Split = "dev",
    as_json: AsJson = False,
) -> None:
    """Import questions that Dodona stored.

    A question is left out if staff did not answer it, if its exercise is not in the course, or if it is labelled
    already. Exits with 1 if all are left out.
    """
    _import(file, read_dodona, course, split, as_json)


@commands.command()
def folder(
    path: Annotated[Path, typer.Argument(help="Folder with a folder per exercise.")],
    course: CourseId,
    split: Split = "dev",
    as_json: AsJson = False,
) -> None:
    """Import submissions with questions from files.

    Each exercise has a folder with exercise.md, and for each submission, such as anna.py, the question in
    anna.question.md, the answer of staff in anna.answer.md, and perhaps a report of the tests in anna.tests.json
    (Dodona), .tests.xml (JUnit) or .tests.txt (pytest, unittest). A question may begin with the lines `line: 7` and
    `language: nl`. Names of files are not stored.
    """
    _import(path, read_folder, course, split, as_json)


def _import(
    path: Path, read: Callable[[Path], Sequence[ImportedQuestion]], course: str, split: str, as_json: bool
) -> None:
    questions = read(path)

    async def work(services: Services) -> Imported:
        labels = labels_folder(services.settings.home, course) / KIND
        passages = (await services.indexes.get(course, audience=Audience.STAFF)).passages
        return await in_thread(import_questions, questions, labels, passages, split)

    imported = with_services(work)
    if as_json:
        print_json(imported)
    else:
        for question in imported.left_out:
            errors.print(escape(f"{question.location}: {question.reason}"), soft_wrap=True, highlight=False)
        output.print(f"{course}: labels added: {len(imported.added)}; questions left out: {len(imported.left_out)}.")
    if not imported.added:
        raise typer.Exit(1)
