"""`edumod privacy`: what is stored about a student, and the roster of a course."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from app.cli.output import AsJson, CourseOption, print_done, print_json, print_table, with_store
from app.people.deletion import Deleted, delete_personal
from core.access import LOCAL
from core.errors import InvalidInput
from core.privacy.names import KnownPerson
from core.private_files import private_opener
from core.settings import read_settings
from core.store.people.audit import AuditEntry
from core.store.people.personal import PersonalSelection
from core.store.store import Store
from core.validation import problems_in

commands = typer.Typer(
    help="Personal data: export and delete what is stored about a student; load a roster.", no_args_is_help=True
)

OptionalCourse = Annotated[str | None, typer.Option("--course", "-c", help="Only in this course.")]
Pseudonym = Annotated[str | None, typer.Option(help="The student, as the forum calls them (`author.pseudonym`).")]
Thread = Annotated[str | None, typer.Option("--thread", help="The forum's id of a thread (`thread_id`).")]


@commands.command()
def export(
    to: Annotated[Path, typer.Argument(help="JSON file to write; only you can read it.", dir_okay=False)],
    pseudonym: Pseudonym = None,
    thread: Thread = None,
    course: OptionalCourse = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that is stored about a student or a thread to a file."""
    selection = PersonalSelection(course, pseudonym, thread)

    async def work(store: Store) -> dict[str, list[dict[str, Any]]]:
        records = await store.personal.export(selection)
        counts = {name: len(rows) for name, rows in records.items()}
        await store.audit.add(AuditEntry(LOCAL, "privacy.export", course, details=counts))
        return records

    records = with_store(work)
    try:
        with open(to, "x", encoding="utf-8", opener=private_opener) as file:
            json.dump(to_jsonable_python(records, bytes_mode="base64"), file, indent=2, ensure_ascii=False)
    except FileExistsError as error:
        raise InvalidInput(f"{to} exists already. Name another file.") from error
    counts = {name: len(rows) for name, rows in records.items()}
    written = ", ".join(f"{count} {name}" for name, count in counts.items())
    print_done(f"{written} written to {to}", as_json, path=str(to), **counts)


@commands.command()
def delete(
    pseudonym: Pseudonym = None,
    thread: Thread = None,
    course: OptionalCourse = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted, and delete nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete everything that is stored about a student or a thread, and say what that was.

    Replies of models are cached by what was asked, not by who asked: the whole cache is emptied. Backups, logs and
    files that were exported earlier are not changed. Questions that are being answered are left; delete again when they
    have ended.
    """
    selection = PersonalSelection(course, pseudonym, thread)
    cache = read_settings().home

    async def work(store: Store) -> Deleted:
        return await delete_personal(store, cache, selection, dry_run=dry_run)

    done = with_store(work)
    if as_json:
        print_json(done)
        return
    columns = ("what", "would be deleted" if dry_run else "deleted")
    rows = ((name, str(count)) for name, count in done.deleted.items())
    print_table(columns, rows, "Nothing was deleted" if dry_run else None)


@commands.command()
def roster(
    course: CourseOption,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV: pseudonym,name,aliases (by `;`).")],
    as_json: AsJson = False,
) -> None:
    """Replace a course's roster: the people whose names models do not see."""
    people = _read_roster(file)

    async def work(store: Store) -> None:
        await store.courses.get(course)
        await store.rosters.replace(course, people)

    with_store(work)
    print_done(f"The roster of {course} has {len(people)} people.", as_json, course=course, people=len(people))


def _read_roster(file: Path) -> list[KnownPerson]:
    people: dict[str, KnownPerson] = {}
    with file.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        if missing := {"pseudonym", "name"} - set(reader.fieldnames or ()):
            raise InvalidInput(
                f"{file} lacks the column {sorted(missing)[0]}. Its first line must be: pseudonym,name,aliases"
            )
        for row in reader:
            aliases = tuple(one.strip() for one in (row.get("aliases") or "").split(";") if one.strip())
            try:
                person = KnownPerson(name=row["name"].strip(), aliases=aliases, pseudonym=row["pseudonym"].strip())
            except (ValidationError, AttributeError) as error:
                reason = problems_in(error) if isinstance(error, ValidationError) else "a field is missing"
                raise InvalidInput(f"{file}, line {reader.line_num}: {reason}") from error
            if not person.name or not person.pseudonym or person.pseudonym in people:
                problem = "the pseudonym occurs twice" if person.pseudonym in people else "name or pseudonym is empty"
                raise InvalidInput(f"{file}, line {reader.line_num}: {problem}.")
            people[person.pseudonym] = person
    return list(people.values())
