"""`edumod quiz`: an instructor's quiz about the material of a course."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli.output import AsJson, print_json, progress_bar, say, warn, with_services
from app.course_teacher import CourseTeacher
from app.quizzes.formats.formats import FORMATS, Format
from app.quizzes.labels import WrittenLabels, write_quiz_labels
from app.quizzes.making import MAX_PER_SECTION, PER_SECTION, QuizAdditions, QuizRequest
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
    source: Annotated[Source, typer.Option(help="Kind of material.")] = Source.TEXTBOOK,
    document: Annotated[str, typer.Option(help="Only the document of this name.")] = "",
    per_section: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_PER_SECTION, help="Maximum questions per section; default: 3."),
    ] = None,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            help="File to write (quiz.json, .gift, .zip for QTI, .md), or a format, for a file named after COURSE.",
        ),
    ] = "",
    as_: Annotated[
        Written | None,
        typer.Option("--as", help="Format, if the name does not show it; labels writes a folder from a reviewed quiz."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Alias of the model that writes questions; without one, rules do."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="Language of questions and answers; default: English. Needs --model."),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Sections that the model reads at once; default: 1. Needs --model."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", min=0, help="Stop model calls once this many USD are spent. Needs --model."),
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

    async def work(services: Services) -> tuple[ReadQuiz, QuizAdditions | None]:
        additions = None
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
                additions = await services.quizzes.make(course, wanted, LOCAL, progress, teach)
            row = additions.quiz
        return await read_quiz(services.store, row), additions

    read, additions = with_services(work)
    is_empty = not read.export.questions
    export = Export() if target is None or is_empty else _write(read, target)
    if target is not None and target.path is None:
        _warn(read, additions)  # On stdout is the quiz alone.
    elif as_json:
        print_json(_facts(read, additions, model, export))
    else:
        _show(read, additions, model, export)
    if target is not None and is_empty:
        warn("Nothing was written: the quiz has no question to export.")
    if not read.questions or (target is not None and is_empty):
        raise typer.Exit(1)


def _target(course: str, out: str, as_: Written | None) -> ExportTarget | None:
    if not out:
        if as_ is None:
            return None
        return ExportTarget(as_, _default(course, as_) if as_ in (Written.LABELS, Written.QTI) else None)
    named_format = _format_of(out)
    if as_ is None:
        if named_format is None:
            known = ", ".join(one for spec in FORMATS.values() for one in spec.endings)
            raise InvalidInput(f"Cannot tell the format from the name {out!r}. Use one of {known}, or add --as FORMAT.")
        return ExportTarget(named_format, _default(course, named_format) if out in set(Written) else Path(out))
    if named_format not in (None, as_):
        raise InvalidInput(
            f"--as {as_} contradicts --out {out}, whose format is {named_format}. Leave --as out, or name another file."
        )
    return ExportTarget(as_, Path(out))


def _format_of(out: str) -> Written | None:
    if out in set(Written):
        return Written(out)
    ending = Path(out).suffix.lower()
    return next((Written(name.value) for name, spec in FORMATS.items() if ending in spec.endings), None)


def _check_target(target: ExportTarget | None, as_json: bool, making: Mapping[str, object]) -> None:
    names = _names_of_given(making)
    if target is not None and target.written is Written.LABELS and names:
        raise InvalidInput(f"--as labels makes no questions, so there is no use for {names}. Leave that out.")
    if target is not None and target.path is None and as_json:
        raise InvalidInput(f"--as {target.written} prints the quiz, so --json has no place. Name a file with --out.")


def _check_model(model: str | None, options: Mapping[str, object]) -> None:
    names = _names_of_given(options)
    if model is None and names:
        raise InvalidInput(f"Without a model there is no use for {names}. Name one with --model, or leave that out.")


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


def _facts(read: ReadQuiz, additions: QuizAdditions | None, model: str | None, export: Export) -> dict[str, object]:
    return {
        "course": read.course.id,
        "quiz": read.quiz.id,
        "page": _page(read),
        "made_by": model or BY_RULES,
        "added": additions.added if additions else 0,
        "sections": additions.sections if additions else None,
        "with_questions": additions.with_questions if additions else None,
        "states": read.states,
        "changed": [one.row.number for one in read.questions_changed],
        "gone": [one.row.number for one in read.questions_gone],
        "file": str(export.path) if export.path else None,
        "exported": len(read.export.questions) if export.path else None,
        "labels": asdict(export.labels) if export.labels else None,
        "unusable": [{"section": section, "reason": reason} for section, reason in additions.unusable]
        if additions
        else [],
    }


def _show(read: ReadQuiz, additions: QuizAdditions | None, model: str | None, export: Export) -> None:
    if additions is not None:
        added = f"{additions.added} added, made by {model or 'rules from English sentences'}"
        say(
            f"{additions.questions} questions from {additions.with_questions} of {additions.sections} sections; "
            f"{added}."
        )
    states = ", ".join(f"{count} {state}" for state, count in read.states.items() if count) or "none"
    say(f"Questions: {states}. Review them at {_page(read)} of `edumod serve`.")
    if export.labels is not None:
        of_others = f"replaced {export.labels.replaced} of this quiz, kept {export.labels.kept} others"
        say(f"{export.labels.written} labels in {export.path}: {of_others}.")
    elif export.path is not None:
        is_open = "; nobody has reviewed all of them" if read.states[QuestionState.OPEN] else ""
        say(f"{len(read.export.questions)} questions in {export.path}{is_open}")
    _warn(read, additions)


def _warn(read: ReadQuiz, additions: QuizAdditions | None) -> None:
    for section, reason in additions.unusable if additions else ():
        warn(f"{section}: {reason}", "yellow")
    _name("to check, since the sentences that answer them are not in their sections any more", read.questions_changed)
    _name("left out of files, since students cannot read their sections any more", read.questions_gone)


def _name(what: str, questions: Sequence[ReadQuestion]) -> None:
    if questions:
        numbers = ", ".join(str(one.row.number) for one in questions[:MAX_NUMBERED])
        more = ", …" if len(questions) > MAX_NUMBERED else ""
        warn(f"Questions {what}: {numbers}{more}.")


def _page(read: ReadQuiz) -> str:
    return f"/courses/{read.course.id}/quizzes/{read.quiz.id}"
