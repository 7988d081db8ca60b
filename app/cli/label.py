"""`edumod label`: helps to write and check labels."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.label_import import commands as import_commands
from app.cli.label_prompts import LabelParts, Prompts
from app.cli.labels_in import labels_in
from app.cli.output import AsJson, errors, output, print_done, print_json, with_services
from app.course_files import labels_folder
from app.review.label_files import write_labels
from app.wiring import Services
from core.concurrency import in_thread
from core.errors import InvalidInput
from core.types import Audience, Passage, Question, Source
from eval.datasets.answer_files import append_label, append_message, new_label
from eval.datasets.answers import KIND, Expectation, LabelledAnswer, MessageKind, answer_questions
from eval.datasets.label_checks import demand_label, label_problems, open_locations
from eval.datasets.queries import KIND as RETRIEVAL
from retrievers.locations import covers, location_of, missing_locations

SUGGESTED = 10
"""Passages that are suggested for a message."""
RETRIEVER = "hybrid"
"""What suggests passages."""
KIND_OF: dict[Source, MessageKind] = {
    Source.QA: MessageKind.THREAD,
    Source.TEXTBOOK: MessageKind.CONCEPT,
    Source.ASSIGNMENT: MessageKind.ASSIGNMENT,
    Source.LOGISTICS: MessageKind.LOGISTICS,
}
"""Kind of a message that is answered by this source, if no other is given."""

commands = typer.Typer(help="Write and check the labels of a course.", no_args_is_help=True)
commands.add_typer(import_commands, name="import")
CourseId = Annotated[str, typer.Argument(metavar="COURSE", help="Course id.")]


@commands.command()
def add(
    course: CourseId,
    question: Annotated[str, typer.Option(help="Text of a new message.")] = "",
    title: Annotated[str, typer.Option(help="Its title.")] = "",
    category: Annotated[str | None, typer.Option(help="Its category.")] = None,
    split: Annotated[str, typer.Option(help="Split of a new message: dev or test.")] = "dev",
    id_: Annotated[str, typer.Option("--id", help="Id of a stored question, instead of a new message.")] = "",
    passage: Annotated[
        list[str] | None,
        typer.Option(help="Location that answers it, as `edumod label locations` lists them; may be repeated."),
    ] = None,
    reference: Annotated[str | None, typer.Option(help="What a teaching assistant would send.")] = None,
    expects: Annotated[Expectation | None, typer.Option(help="What is expected; answer if passages are named.")] = None,
    kind: Annotated[MessageKind | None, typer.Option(help="What it is about; by its passages if left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add a labelled answer to the files of a course, under the next free id.

    What is not given as an option is asked for on the terminal, with passages that retrieval suggests.
    """
    if expects is None and passage:
        expects = Expectation.ANSWER
    entry = LabelParts(expects, tuple(passage or ()), reference, kind)

    async def work(services: Services) -> LabelledAnswer:
        folder = labels_folder(services.settings.home, course) / KIND
        asked = _question(folder, id_, question, title, category)
        passages = (await services.indexes.get(course, audience=Audience.STAFF)).passages
        suggested = await _suggest(services, course, asked.text)
        fields = _complete(entry, passages, suggested)
        await in_thread(demand_label, new_label({**fields, "id": id_ or "the new label"}), passages)
        return append_label(folder, id_, fields) if id_ else append_message(folder, asked, split, fields)

    _show(with_services(work), as_json)


@commands.command()
def check(course: CourseId, as_json: AsJson = False) -> None:
    """Check all labels of a course against its material: their form, locations and references.

    Exits with 1 if there are problems.
    """

    async def work(services: Services) -> tuple[int, list[str]]:
        folder = labels_folder(services.settings.home, course)
        labels = labels_in(folder)
        passages = (await services.indexes.get(course, audience=Audience.STAFF)).passages
        answers = [LabelledAnswer.model_validate(one) for one in labels.get(KIND, {}).values()]
        judged = {one for query in labels.get(RETRIEVAL, {}).values() for one in query["relevant"]}
        missing = missing_locations(judged, passages)
        problems = [f"{RETRIEVAL}: there is no location {one} in the material." for one in missing]
        return sum(map(len, labels.values())), [*problems, *await in_thread(_problems, answers, passages)]

    count, problems = with_services(work)
    if as_json:
        print_json({"course": course, "labels": count, "problems": problems})
    else:
        _show_problems(course, count, problems)
    if problems:
        raise typer.Exit(1)


@commands.command()
def export(
    course: CourseId,
    folder: Annotated[Path, typer.Argument(help="Folder for the files; those of an earlier export are replaced.")],
    as_json: AsJson = False,
) -> None:
    """Write labels from the decisions on a course's drafts: answers, functions and retrieval, split by time."""

    async def work(services: Services) -> int:
        await services.store.courses.get(course)
        return write_labels(folder, await services.learning.lessons(course))

    count = with_services(work)
    print_done(f"{count} labels written to {folder}.", as_json, labels=count, folder=str(folder))


@commands.command()
def locations(
    course: CourseId,
    query: Annotated[str, typer.Option(help="Only those that retrieval finds for this text, best first.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the locations that labels may name, ready to be copied."""

    async def work(services: Services) -> list[str]:
        if query:
            return await _suggest(services, course, query)
        return open_locations((await services.indexes.get(course, audience=Audience.STAFF)).passages)

    listing = with_services(work)
    if as_json:
        print_json({"course": course, "locations": listing})
        return
    for location in listing:
        output.print(escape(location), soft_wrap=True, highlight=False)


def _question(folder: Path, name: str, body: str, title: str, category: str | None) -> Question:
    if name and (body or title):
        raise InvalidInput("--id names a stored question. Leave --question and --title out.")
    if name:
        stored = answer_questions(folder)
        if name not in stored:
            raise InvalidInput(f"There is no question {name!r} in the files of {folder.parent}.")
        return Question.model_validate(stored[name].content["question"])
    if not body.strip() and not sys.stdin.isatty():
        raise InvalidInput("Give the message (--question TEXT), or the id of a stored question (--id ID).")
    body = body if body.strip() else Prompts(output, (), ()).text("What does the student write?")
    return Question(title=title, body=body, category=category)


async def _suggest(services: Services, course: str, text: str) -> list[str]:
    await services.store.courses.get(course)
    passages = await services.assistant.retrieve(course, None, RETRIEVER, text, 2 * SUGGESTED)
    known = frozenset(open_locations(passages))
    named = dict.fromkeys(location_of(one.document, one.heading_path) for one in passages)
    return [one for one in named if one in known][:SUGGESTED]


def _complete(entry: LabelParts, passages: Sequence[Passage], suggested: Sequence[str]) -> dict[str, Any]:
    prompts = Prompts(output, open_locations(passages), suggested)
    is_terminal = sys.stdin.isatty()
    complete = prompts.complete(entry) if is_terminal else _demand_whole(entry, suggested)
    kind = _default_kind(complete, passages)
    if entry.kind is None and is_terminal:
        kind = prompts.kind(kind)
    return {
        "kind": entry.kind or kind,
        "expects": complete.expects,
        "passages": complete.passages,
        "reference": complete.reference or "",
    }


def _demand_whole(entry: LabelParts, suggested: Sequence[str]) -> LabelParts:
    if entry.expects is None or entry.needs_passages:
        locations = "; ".join(suggested) or "none"
        raise InvalidInput(
            "Name the passages that answer the message (--passage LOCATION, may be repeated), or what is expected "
            f"instead (--expects abstain or no_response). Retrieval suggests: {locations}."
        )
    if entry.needs_reference:
        raise InvalidInput("Write what a teaching assistant would send (--reference TEXT), in one to three sentences.")
    return entry


def _default_kind(entry: LabelParts, passages: Sequence[Passage]) -> MessageKind:
    if entry.expects is Expectation.NO_RESPONSE:
        return MessageKind.NO_RESPONSE
    sources = (
        KIND_OF[passage.source]
        for location in entry.passages
        for passage in passages
        if covers(location, location_of(passage.document, passage.heading_path))
    )
    return next(sources, MessageKind.OFF_TOPIC)


def _problems(labels: Sequence[LabelledAnswer], passages: Sequence[Passage]) -> list[str]:
    return list(label_problems(labels, passages))


def _show_problems(course: str, count: int, problems: Sequence[str]) -> None:
    for problem in problems:
        errors.print(escape(problem), soft_wrap=True, highlight=False)
    output.print(f"{course}: {count} labels, {len(problems) or 'no'} problem{'s' * (len(problems) != 1)}.")


def _show(label: LabelledAnswer, as_json: bool) -> None:
    if as_json:
        print_json(label)
        return
    output.print(f"{label.id}: added to the {label.split} split, as {label.kind}. Load the course file to use it.")
