"""`edumod quiz`: an instructor's quiz about the material of a course."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.output import AsJson, errors, output, print_json, progress_bar, with_services
from app.course_teacher import CourseTeacher
from app.quizzes.formats.formats import FORMATS, Format
from app.quizzes.labels import WrittenLabels, write_quiz_labels
from app.quizzes.making import MAX_PER_SECTION, PER_SECTION, Made, QuizRequest
from app.quizzes.quiz_questions import ReadQuestion, ReadQuiz, read_quiz
from app.wiring import Services
from core.access import LOCAL
from core.errors import InvalidInput, NotFound
from core.files import write_atomically
from core.store.tables import QuestionState
from core.types import Source
from eval.runner import RunLimits
from teaching.course import BY_RULES

MAX_NUMBERED = 20
"""Questions that a line names by number; --json names all."""


class Written(StrEnum):
    """What --as may say: a format of files, or labels."""

    JSON = "json"
    GIFT = "gift"
    QTI = "qti"
    MD = "md"
    LABELS = "labels"


@dataclass(frozen=True)
class ExportTarget:
    """What is written where; `path` is None for stdout."""

    written: Written
    path: Path | None


@dataclass(frozen=True)
class Export:
    """What was written: to which file, and the labels if it is labels."""

    path: Path | None = None
    labels: WrittenLabels | None = None


def quiz(
    course: Annotated[str, typer.Argument(metavar="COURSE", help="Course id.")],
    source: Annotated[Source, typer.Option(help="Kind of material that it is about.")] = Source.TEXTBOOK,
    document: Annotated[str, typer.Option(help="Only the document of this name.")] = "",
    per_section: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_PER_SECTION, help="Questions of a section, at most; 3 unless named."),
    ] = None,
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
    language: Annotated[
        str | None,
        typer.Option(help="Language of questions and answers, English unless named; with a model only."),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Sections that the model reads at once, 1 unless named; with a model only."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0, help="Stop model calls once this many USD are spent; with a model only."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a quiz with reference answers about each section that students may read, and export it.

    Without a model, questions are made by rules from English sentences. There is one quiz for each source and document:
    a second run adds questions for sections that have fewer, and leaves the others as staff made them. Review it on the
    page /courses/COURSE/quizzes. Files are overwritten; a folder of labels keeps the labels of others.
    """
    target = _target(course, out, as_)
    _check_target(target, as_json, {"--model": model, "--per-section": per_section})
    _check_model(model, {"--language": language, "--concurrency": concurrency, "--max-cost": max_cost})
    wanted = QuizRequest(source, document, per_section or PER_SECTION)

    async def work(services: Services) -> tuple[ReadQuiz, Made | None]:
        made = None
        if target is not None and target.written is Written.LABELS:
            await services.store.courses.get(course)
            row = await services.store.quizzes.about(course, source, document)
            if row is None:
                raise NotFound(f"The course {course} has no quiz about its {document or source}. Make it: edumod quiz.")
        else:
            with progress_bar("sections") as progress:
                limits = RunLimits(concurrency or 1, max_cost)
                by_model = CourseTeacher(services, model, language or "English", limits, progress) if model else None
                teach = by_model.teach if by_model else None
                made = await services.quizzes.make(course, wanted, LOCAL, progress, teach)
            row = made.quiz
        return await read_quiz(services.store, row), made

    read, made = with_services(work)
    is_empty = not read.export.questions
    export = Export() if target is None or is_empty else _write(read, target)
    if target is not None and target.path is None:
        _warn(read, made)  # On stdout is the quiz alone.
    elif as_json:
        print_json(_facts(read, made, model, export))
    else:
        _show(read, made, model, export)
    if target is not None and is_empty:
        errors.print("Nothing was written: the quiz has no question to export.", soft_wrap=True)
    if not read.questions or (target is not None and is_empty):
        raise typer.Exit(1)


def _target(course: str, out: str, as_: Written | None) -> ExportTarget | None:
    if not out:
        if as_ is None:
            return None
        return ExportTarget(as_, _default(course, as_) if as_ in (Written.LABELS, Written.QTI) else None)
    told = _format_of(out)
    if as_ is None:
        if told is None:
            known = ", ".join(one for spec in FORMATS.values() for one in spec.endings)
            raise InvalidInput(f"The name {out!r} does not tell a format. Use one of {known}, or say --as FORMAT.")
        return ExportTarget(told, _default(course, told) if out in set(Written) else Path(out))
    if told not in (None, as_):
        raise InvalidInput(
            f"--as {as_} contradicts --out {out}, which says {told}. Leave --as out, or name another file."
        )
    return ExportTarget(as_, Path(out))


def _format_of(out: str) -> Written | None:
    if out in set(Written):
        return Written(out)
    ending = Path(out).suffix.lower()
    return next((Written(name.value) for name, spec in FORMATS.items() if ending in spec.endings), None)


def _check_target(target: ExportTarget | None, as_json: bool, making: Mapping[str, object]) -> None:
    given = _names_of_given(making)
    if target is not None and target.written is Written.LABELS and given:
        raise InvalidInput(f"--as labels makes no questions, so there is no use for {given}. Leave that out.")
    if target is not None and target.path is None and as_json:
        raise InvalidInput(f"--as {target.written} prints the quiz, so --json has no place. Name a file with --out.")


def _check_model(model: str | None, options: Mapping[str, object]) -> None:
    given = _names_of_given(options)
    if model is None and given:
        raise InvalidInput(f"Without a model there is no use for {given}. Name one with --model, or leave that out.")


def _names_of_given(options: Mapping[str, object]) -> str:
    return " and ".join(name for name, value in options.items() if value is not None)


def _default(course: str, written: Written) -> Path:
    if written is Written.LABELS:
        return Path(f"{course}-labels")
    return Path(course + FORMATS[Format(written.value)].endings[0])


def _write(read: ReadQuiz, target: ExportTarget) -> Export:
    is_labels = target.written is Written.LABELS
    content = b"" if is_labels else FORMATS[Format(target.written.value)](read.export)
    if target.path is None:
        sys.stdout.write(content.decode())
        return Export()
    try:
        if is_labels:
            return Export(target.path, write_quiz_labels(target.path, read))
        write_atomically(target.path, content)
    except OSError as error:
        raise InvalidInput(f"{target.path} cannot be written: {error.strerror}.") from error
    return Export(target.path)


def _facts(read: ReadQuiz, made: Made | None, model: str | None, export: Export) -> dict[str, object]:
    return {
        "course": read.course.id,
        "quiz": read.quiz.id,
        "page": _page(read),
        "made_by": model or BY_RULES,
        "added": made.added if made else 0,
        "sections": made.sections if made else None,
        "with_questions": made.with_questions if made else None,
        "states": read.states,
        "changed": [one.row.number for one in read.questions_changed],
        "gone": [one.row.number for one in read.questions_gone],
        "file": str(export.path) if export.path else None,
        "exported": len(read.export.questions) if export.path else None,
        "labels": asdict(export.labels) if export.labels else None,
        "unusable": [{"section": section, "reason": reason} for section, reason in made.unusable] if made else [],
    }


def _show(read: ReadQuiz, made: Made | None, model: str | None, export: Export) -> None:
    if made is not None:
        added = f"{made.added} added, made by {model or 'rules from English sentences'}"
        _say(f"{made.questions} questions from {made.with_questions} of {made.sections} sections; {added}.")
    states = ", ".join(f"{count} {state}" for state, count in read.states.items() if count) or "none"
    _say(f"Questions: {states}. Review them at {_page(read)} of `edumod serve`.")
    if export.labels is not None:
        of_others = f"replaced {export.labels.replaced} of this quiz, kept {export.labels.kept} others"
        _say(f"{export.labels.written} labels in {export.path}: {of_others}.")
    elif export.path is not None:
        is_open = "; nobody has reviewed all of them" if read.states[QuestionState.OPEN] else ""
        _say(f"{len(read.export.questions)} questions in {export.path}{is_open}")
    _warn(read, made)


def _warn(read: ReadQuiz, made: Made | None) -> None:
    for section, reason in made.unusable if made else ():
        errors.print(f"[yellow]{escape(f'{section}: {reason}')}[/]", soft_wrap=True, highlight=False)
    _name("to check, since the sentences that answer them are not in their sections any more", read.questions_changed)
    _name("left out of files, since students cannot read their sections any more", read.questions_gone)


def _name(what: str, questions: Sequence[ReadQuestion]) -> None:
    if questions:
        numbers = ", ".join(str(one.row.number) for one in questions[:MAX_NUMBERED])
        more = ", …" if len(questions) > MAX_NUMBERED else ""
        errors.print(f"Questions {what}: {numbers}{more}.", soft_wrap=True, highlight=False)


def _say(text: str) -> None:
    output.print(text, soft_wrap=True, markup=False, highlight=False)


def _page(read: ReadQuiz) -> str:
    return f"/courses/{read.course.id}/quizzes/{read.quiz.id}"
