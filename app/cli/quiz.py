"""`edumod quiz`: an instructor's quiz about the material of a course."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.eval.options import Concurrency, MaxCost
from app.cli.output import AsJson, errors, output, print_json, progress_bar, with_services
from app.course_teacher import CourseTeacher
from app.quizzes.formats.formats import FORMATS, Format
from app.quizzes.labels import write_quiz_labels
from app.quizzes.making import MAX_PER_SECTION, Made, Wanted
from app.quizzes.reading import ReadQuiz, read_quiz
from app.wiring import Services
from core.access import LOCAL
from core.errors import InvalidInput, NotFound
from core.files import write_atomically
from core.store.tables import QuestionState
from core.types import Source
from eval.runner import RunLimits
from eval.sensemaking.course import BY_RULES

MAX_NAMED = 5
"""Sections without questions that are named; --json names all."""


class Written(StrEnum):
    """What --as may say: a format of files, or labels."""

    JSON = "json"
    GIFT = "gift"
    QTI = "qti"
    MD = "md"
    LABELS = "labels"


@dataclass(frozen=True)
class Target:
    """What is written where; `path` is None for stdout."""

    written: Written
    path: Path | None


def quiz(
    course: Annotated[str, typer.Argument(metavar="COURSE", help="Course id.")],
    source: Annotated[Source, typer.Option(help="Kind of material that it is about.")] = Source.TEXTBOOK,
    document: Annotated[str, typer.Option(help="Only the document of this name.")] = "",
    per_section: Annotated[int, typer.Option(min=1, max=MAX_PER_SECTION, help="Questions of a section, at most.")] = 3,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", help="File for it (quiz.json, .gift, .zip for QTI, .md), or a format for COURSE.ENDING."
        ),
    ] = "",
    as_: Annotated[
        Written | None,
        typer.Option("--as", help="Format, if the name does not tell it; labels: those of a reviewed quiz, a folder."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Alias of the model that writes; by rules if none.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of a model's questions and answers.")] = "English",
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Make a quiz with reference answers about each section that students may read, and export it.

    Without a model, questions are made by rules from English sentences. There is one quiz for each source and document:
    a second run adds questions for sections that have fewer, and leaves the others as staff made them. Review it on the
    page /courses/COURSE/quizzes.
    """
    target = _target(course, out, as_)
    wanted = Wanted(source, document, per_section)

    async def work(services: Services) -> tuple[ReadQuiz, Made | None]:
        made = None
        if target is not None and target.written is Written.LABELS:
            await services.store.courses.get(course)
            row = await services.store.quizzes.about(course, source, document)
            if row is None:
                raise NotFound(f"The course {course} has no quiz about its {document or source}. Make it: edumod quiz.")
        else:
            with progress_bar("sections") as progress:
                limits = RunLimits(concurrency, max_cost)
                by_model = CourseTeacher(services, model, language, limits, progress) if model else None
                teach = by_model.teach if by_model else None
                made = await services.quizzes.make(course, wanted, LOCAL, progress, teach)
            row = made.quiz
        return await read_quiz(services.store, row), made

    read, made = with_services(work)
    labels = _write(read, target) if target is not None else None
    if target is None or target.path is not None:
        _show(read, made, model, target, labels, as_json)
    if not read.questions:
        raise typer.Exit(1)


def _target(course: str, out: str, as_: Written | None) -> Target | None:
    """What --out and --as ask for together; None for nothing. Raises `InvalidInput`."""
    if as_ is not None and out:
        return Target(as_, Path(out))
    if as_ is not None:
        return Target(as_, _default(course, as_) if as_ in (Written.LABELS, Written.QTI) else None)
    if not out:
        return None
    if out in set(Written):
        return Target(Written(out), _default(course, Written(out)))
    ending = Path(out).suffix.lower()
    for name, spec in FORMATS.items():
        if ending in spec.endings:
            return Target(Written(name.value), Path(out))
    known = ", ".join(one for spec in FORMATS.values() for one in spec.endings)
    raise InvalidInput(f"The name {out!r} does not tell a format. Use one of {known}, or say --as FORMAT.")


def _default(course: str, written: Written) -> Path:
    """A file or folder in the working directory, named after the course."""
    if written is Written.LABELS:
        return Path(f"{course}-labels")
    return Path(course + FORMATS[Format(written.value)].endings[0])


def _write(read: ReadQuiz, target: Target) -> int | None:
    """Write the quiz; how many labels, where it is labels. Raises `InvalidInput`."""
    if target.written is Written.LABELS and target.path is not None:
        return write_quiz_labels(target.path, read)
    content = FORMATS[Format(target.written.value)](read.exported)
    if target.path is None:
        sys.stdout.write(content.decode())
        return None
    try:
        write_atomically(target.path, content)
    except OSError as error:
        raise InvalidInput(f"{target.path} cannot be written: {error.strerror}.") from error
    return None


def _show(
    read: ReadQuiz, made: Made | None, model: str | None, target: Target | None, labels: int | None, as_json: bool
) -> None:
    unusable = made.unusable if made else ()
    path = str(target.path) if target else None
    if as_json:
        print_json(
            {
                "course": read.course.id,
                "quiz": read.quiz.id,
                "page": _page(read),
                "made_by": model or BY_RULES,
                "added": made.added if made else 0,
                "sections": made.sections if made else None,
                "with_questions": made.with_questions if made else None,
                "states": read.states,
                "gone": [one.row.number for one in read.gone],
                "file": path,
                "exported": len(read.exported.questions) if target else None,
                "unusable": [{"section": section, "reason": reason} for section, reason in unusable],
            }
        )
        return
    if made is not None:
        made_by = model or "rules from English sentences"
        have = f"{made.with_questions} of {made.sections} sections have questions."
        _say(f"{made.added} questions added, made by {made_by}; {have}")
    states = ", ".join(f"{count} {state}" for state, count in read.states.items() if count) or "none"
    _say(f"Questions: {states}. Review them at {_page(read)} of `edumod serve`.")
    if path is not None:
        what = f"{labels} labels" if labels is not None else f"{len(read.exported.questions)} questions"
        _say(f"{what} in {path}" + ("" if not read.states[QuestionState.OPEN] else "; nobody has reviewed all of them"))
    _warn(read, [f"{section}: {reason}" for section, reason in unusable])


def _warn(read: ReadQuiz, unusable: list[str]) -> None:
    if unusable:
        shown = "\n".join(f"  {one}" for one in unusable[:MAX_NAMED])
        more = f"\n  … and {len(unusable) - MAX_NAMED} more (--json)" if len(unusable) > MAX_NAMED else ""
        errors.print(escape(f"No question can be made from {len(unusable)} sections:\n{shown}{more}"), soft_wrap=True)
    if gone := read.gone:
        numbers = ", ".join(str(one.row.number) for one in gone[:MAX_NAMED]) + (", …" if len(gone) > MAX_NAMED else "")
        errors.print(
            f"Left out of files, since students cannot read their sections any more: questions {numbers}.",
            soft_wrap=True,
        )


def _say(text: str) -> None:
    output.print(text, soft_wrap=True, markup=False, highlight=False)


def _page(read: ReadQuiz) -> str:
    return f"/courses/{read.course.id}/quizzes/{read.quiz.id}"
