"""`edumod eval confidence`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from app.cli.eval.options import names_in
from app.cli.output import AsJson, output, print_json, with_services
from app.setups import labelled_answers_of, unlabelled
from app.wiring import Services
from core.concurrency import in_thread
from core.errors import InvalidInput
from core.files import write_atomically
from eval.actors.answers import AnsweringActor
from eval.answers.reliability import Reliability
from eval.datasets.facts import read_fact_questions
from eval.datasets.questions import labelled_questions
from eval.fitting.confidence import ConfidenceReport, GradedReport, fit, to_file
from eval.fitting.confidence_cases import Case, cases_of
from eval.tables import interval, plain_table, short_share
from offline.confidence import Calibration
from offline.router import trained_on
from retrievers.rarity import Rarities

_ABSTAINING = "wrongly\nabstained", "wrongly\nanswered"


def confidence(
    course: Annotated[str, typer.Option("--course", "-c", help="Courses with labelled answers, comma-separated.")],
    pipeline: Annotated[str, typer.Option("--pipeline", "-p", help="The pipeline that answers.")] = "fc",
    retriever: Annotated[
        str, typer.Option("--retriever", "-r", help="Retrievers, comma-separated, each answers every message.")
    ] = "tree,hybrid",
    split: Annotated[str, typer.Option(help="Split of the labelled answers to fit to.")] = "dev",
    facts: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COURSE=DIR", help="Also a course and the folder of its questions with facts to show (repeatable)."
        ),
    ] = None,
    write: Annotated[Path | None, typer.Option(help="Write the weights to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Fit the confidence of offline answers to labelled answers; figures are from cross-validation.

    The confidence is the probability that the passage cited first answers the message, or that all its facts are shown.
    """
    courses, retrievers = names_in(course), names_in(retriever)
    folders = dict(_folder_of(name) for name in facts or ())

    async def work(services: Services) -> tuple[ConfidenceReport, Calibration]:
        cases = [case for one in courses for case in await _cases(services, one, pipeline, retrievers, split)]
        for name, folder in folders.items():
            cases += await _fact_cases(services, name, folder, pipeline, retrievers)
        return await in_thread(fit, cases)

    report, calibration = with_services(work)
    if write:
        used = {"courses": list(courses), "split": split, "pipeline": pipeline, "retrievers": list(retrievers)}
        content = to_file(calibration, {**used, "further_courses": len(folders), "messages": report.n})
        write_atomically(write, f"{json.dumps(content, indent=1)}\n".encode(), private=False)
    if as_json:
        print_json(report)
        return
    _show(report, calibration)
    if write:
        output.print(f"The weights are in {escape(str(write))}.")


async def _cases(services: Services, course: str, pipeline: str, retrievers: Sequence[str], split: str) -> list[Case]:
    setup = await labelled_answers_of(services, course, split)
    actors = [AnsweringActor.chosen(pipeline, retriever, setup) for retriever in retrievers]
    taught = await _taught(services, course)
    words = Rarities(services.indexes)
    return await cases_of(setup.dataset.items, services.builder.offline, words, actors, taught)


async def _fact_cases(
    services: Services, course: str, folder: Path, pipeline: str, retrievers: Sequence[str]
) -> list[Case]:
    questions = read_fact_questions(folder)
    setup = await unlabelled(services, course)
    actors = [AnsweringActor.chosen(pipeline, retriever, setup) for retriever in retrievers]
    return await cases_of(questions, services.builder.offline, Rarities(services.indexes), actors, frozenset())


def _folder_of(named: str) -> tuple[str, Path]:
    course, equals, folder = named.partition("=")
    if not (course and equals and folder):
        raise InvalidInput(f"{named} names no course and folder. Write --facts COURSE=DIR.")
    return course, Path(folder)


async def _taught(services: Services, course: str) -> set[str]:
    """Ids of the messages that the router was trained on."""
    trained_course, split = trained_on()
    if course != trained_course:
        return set()
    return {one.id for one in await labelled_questions(services.store, course, split)}


def _show(report: ConfidenceReport, calibration: Calibration) -> None:
    counted = ", ".join(f"{number} of {course}" for course, number in report.messages.items())
    table = plain_table(f"Held-out messages: {escape(counted)}", "", "auc", "brier\nskill")
    shown: dict[str, Reliability] = {
        "all, by folds": report.folds,
        **{f"{name}, weights from the others": one for name, one in report.across.items()},
    }
    for name, figures in shown.items():
        table.add_row(escape(name), interval(figures.auc), interval(figures.brier_skill))
    output.print(table)
    output.print()
    if report.left_out:
        table = plain_table("A course at the threshold of the others", "", "confidence", *_ABSTAINING)
        for name, one in report.left_out.items():
            table.add_row(
                escape(name), *map(short_share, (one.confidence, one.wrongly_abstained, one.wrongly_answered))
            )
        output.print(table)
        output.print()
    table = plain_table("Abstaining below a confidence", "confidence", *_ABSTAINING)
    for one in report.thresholds:
        if round(100 * one.confidence) % 10 and one.confidence != report.abstain_below:
            continue
        mark = " (chosen)" if one.confidence == report.abstain_below else ""
        shares = short_share(one.wrongly_abstained), short_share(one.wrongly_answered)
        table.add_row(f"{short_share(one.confidence)}{mark}", *shares)
    output.print(table)
    output.print()
    if report.graded:
        _show_graded(report.graded)
    weights: dict[str, Any] = {"intercept": calibration.intercept, **calibration.weights}
    output.print("Weights: " + ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items()))


def _show_graded(report: GradedReport) -> None:
    counted = ", ".join(f"{number} of grade {grade}" for grade, number in report.grades.items())
    table = plain_table(f"Graded answers, held out: {counted}", "grade 2 told by", "auc", "brier\nskill")
    for name, figures in (("the confidence", report.confidence), ("weights fitted to grades", report.own)):
        table.add_row(name, interval(figures.auc), interval(figures.brier_skill))
    output.print(table)
    output.print()
