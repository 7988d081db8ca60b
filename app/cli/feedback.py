"""`edumod feedback`: feedback on a folder of submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.batches.layouts import Submitted, submissions_in
from app.batches.people import people_of
from app.batches.running import Batch, BatchRow, RowState
from app.batches.worksheet import (
    COMMENTS,
    IDENTIFIER,
    NAME,
    STATUS,
    Row,
    read_worksheet,
    write_worksheet,
)
from app.cli.eval.options import MaxCost
from app.cli.output import AsJson, CourseOption, errors, output, print_json, progress_bar, with_services
from app.web.markdown import markdown
from app.wiring import Services
from core.costs import cost
from core.errors import InvalidInput
from core.files import readable

INCOMPLETE = 1
"""Exit code where a submission has no feedback because it could not be read, or the cost limit was reached."""
MAX_NAMED = 10
_GRADING = {STATUS: "Submitted for grading", "Grade can be changed": "Yes", "Last modified (grade)": "-"}


def feedback(
    folder: Annotated[Path, typer.Argument(help="Submissions as Moodle or Canvas hand them out, or a file a student.")],
    course: CourseOption,
    question: Annotated[str, typer.Option(help="The assignment's question, as in 2c, or hw2.3 without --assignment.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV in the columns of Moodle's grading worksheet.")],
    assignment: Annotated[str, typer.Option(help="The assignment's title or file name.")] = "",
    worksheet: Annotated[
        Path | None, typer.Option(help="Worksheet downloaded from Moodle, whose rows and identifiers are kept.")
    ] = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Write only what staff has decided on; other drafts wait for review.")
    ] = False,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Alias of the model that writes.")] = None,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Draft feedback on every submission of a folder, and write Moodle's grading worksheet.

    Each submission becomes a draft for review. A run that was interrupted, or is repeated after the review, asks
    nothing twice: it takes the drafts that there are, with the text that staff decided on. The exit code is 1 if a
    submission has no feedback.
    """
    named, _, number = question.rpartition(".") if not assignment else (assignment, "", question)
    if not named:
        raise InvalidInput(f"--question {question} names no assignment. Write --question hw2.3, or add --assignment.")
    if out.is_dir():
        raise InvalidInput(f"{readable(str(out))} is a folder. Name a file with --out.")
    given = read_worksheet(worksheet) if worksheet else None
    submissions = submissions_in(folder, {row[IDENTIFIER]: row.get(NAME, "") for row in given or ()})

    async def work(services: Services) -> list[BatchRow]:
        exercise = await services.assistant.find_exercise(course, named, number)
        with progress_bar("submissions") as progress:
            people = people_of(submissions, given or (), f"{exercise.text}\n{exercise.solution}")
            batch = Batch(services, course, exercise, model, max_cost, people)
            return await batch.run(submissions, progress)

    rows = with_services(work)
    write_worksheet(out, _worksheet(rows, given, reviewed=reviewed))
    _report(rows, out, as_json, _strays(submissions, given))
    if any(row.state in (RowState.FAILED, RowState.NOT_ASKED) for row in rows):
        raise typer.Exit(INCOMPLETE)


def _worksheet(rows: Sequence[BatchRow], given: list[Row] | None, *, reviewed: bool) -> list[Row]:
    if given is None:
        return [
            {IDENTIFIER: row.submitted.identifier, NAME: row.submitted.name, **_GRADING, **_cells(row, reviewed)}
            for row in rows
        ]
    by_id = {row.submitted.identifier: row for row in rows}
    return [{**row, **(_cells(by_id[row[IDENTIFIER]], reviewed) if row[IDENTIFIER] in by_id else {})} for row in given]


def _cells(row: BatchRow, reviewed: bool) -> Row:
    if row.problem:
        return {STATUS: f"No feedback: {row.problem}", COMMENTS: ""}
    if reviewed and row.state is not RowState.REVIEWED:
        return {STATUS: "No feedback: the draft waits for review.", COMMENTS: ""}
    # Moodle shows comments as HTML.
    return {COMMENTS: str(markdown(row.text)).strip()}


def _strays(submissions: Sequence[Submitted], given: list[Row] | None) -> list[str]:
    if given is None:
        return []
    known = {row[IDENTIFIER] for row in given}
    return [one.identifier for one in submissions if one.identifier not in known]


def _report(rows: Sequence[BatchRow], out: Path, as_json: bool, strays: Sequence[str]) -> None:
    states = Counter(row.state.value for row in rows)
    spent = None if any(row.cost_usd is None for row in rows) else sum(row.cost_usd or 0.0 for row in rows)
    new = sum(row.is_new for row in rows)
    failed = [row for row in rows if row.problem]
    if as_json:
        problems = [{"identifier": row.submitted.identifier, "problem": row.problem} for row in failed]
        print_json(
            {
                "file": readable(str(out)), "n": len(rows), "new": new, "states": dict(states), "cost_usd": spent,
                "problems": problems, "without_row": list(strays),
            }
        )  # fmt: skip
        return
    told = ", ".join(f"{count} {state}" for state, count in states.items())
    output.print(
        f"{len(rows)} submissions: {told}; {new} new, cost {cost(spent)}. Written to {escape(readable(str(out)))}."
    )
    for row in failed[:MAX_NAMED]:
        errors.print(f"[yellow]{escape(row.submitted.identifier)}: {escape(row.problem)}[/]", soft_wrap=True)
    if len(failed) > MAX_NAMED:
        errors.print(f"[yellow]and {len(failed) - MAX_NAMED} more; their status stands in the file.[/]")
    for stray in strays[:MAX_NAMED]:
        errors.print(f"[yellow]{escape(stray)} has a submission and no row in the worksheet.[/]", soft_wrap=True)
