"""A student's submission as a question that a run can work on."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from app.schemas import AnswerRequest, AuthorIn, FeedbackRequest, FileIn, ImageIn, PersonIn, QuestionIn
from core.concurrency import in_thread
from core.errors import InvalidInput, TooLarge, UnreadableImage
from core.files import read_regular, readable
from core.settings import Settings
from core.types import Passage
from core.work.pool import WorkPool
from core.work.serving import WorkLimits
from ingestion.loaders import SUFFIXES
from ingestion.parsing.parser import FileParser
from pipelines.images.reading import ImageReader

PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
AS_WRITTEN = (".md", ".markdown", ".tex", ".txt", ".qmd", ".rmd")
"""Read as they are: formulas and lines count."""
PICTURE = "picture 1"
"""What a model is told of a submission that is a picture: its name may be the student's."""


def title_of(exercise: Passage) -> str:
    """What a submission to it is called on pages: "Homework 1, question 2b"."""
    return f"{exercise.title}, question {exercise.label}" if exercise.label else exercise.location


async def homework_request(
    request: FeedbackRequest, exercise: Passage, settings: Settings, reader: ImageReader
) -> AnswerRequest:
    """The submission as the body of a question about its exercise; a picture as the question's image.

    Raises `InvalidInput` for a file that is not base64 or of an unknown format, `TooLarge`, and `UnreadableDocument`.
    """
    question = QuestionIn(title=title_of(exercise), body="-")
    given = request.submission
    if isinstance(given, FileIn) and PurePosixPath(given.name).suffix.lower() in PICTURES:
        media_type = PICTURES[PurePosixPath(given.name).suffix.lower()]
        await demand_picture(given.name, _decoded(given), reader)
        question.body, question.images = PICTURE, [ImageIn(media_type=media_type, data=given.data)]
    else:
        question.body = await submission_text(given, settings, reader.pool) if isinstance(given, FileIn) else given
    if not question.body.strip():
        raise InvalidInput("submission has no text. Send the student's work.")
    return AnswerRequest(
        course=request.course,
        question=question,
        exercise=exercise.block_id,
        author=request.author,
        people=request.people,
        thread_id=request.thread_id,
        callback_url=request.callback_url,
    )


async def request_of_files(
    course: str,
    exercise: Passage,
    student: str,
    files: Sequence[Path],
    settings: Settings,
    reader: ImageReader,
    people: Sequence[PersonIn] = (),
) -> AnswerRequest:
    """All files of one student as one submission: texts one below the other, pictures beside them.

    `people` are those whom the work may name. Raises as `homework_request`, and `OSError` for a file that cannot be
    read.
    """
    texts, pictures = [], []
    for file in files:
        name = readable(file.name)
        data = await in_thread(read_regular, file, settings.max_file_mb * 2**20)
        if media_type := PICTURES.get(file.suffix.lower()):
            await demand_picture(name, data, reader)
            pictures.append(ImageIn(media_type=media_type, data=base64.b64encode(data).decode()))
        else:
            texts.append(await text_of_file(name, data, settings, reader.pool))
    body = "\n\n".join(text for text in texts if text.strip())
    if not body and not pictures:
        raise InvalidInput("The submission has no text.")
    return AnswerRequest(
        course=course,
        question=QuestionIn(title=title_of(exercise), body=body or PICTURE, images=pictures),
        exercise=exercise.block_id,
        author=AuthorIn(pseudonym=student, consent=True),
        people=list(people),
    )


async def submission_text(file: FileIn, settings: Settings, pool: WorkPool) -> str:
    """The text of a submitted file. Raises as `homework_request`."""
    return await text_of_file(file.name, _decoded(file), settings, pool)


def _decoded(file: FileIn) -> bytes:
    try:
        return base64.b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("submission.data is not base64.") from error


async def demand_picture(name: str, data: bytes, reader: ImageReader) -> None:
    """Raises `InvalidInput` for a file that is no picture: work that cannot be read is not work without a result."""
    try:
        await reader.check(data)
    except UnreadableImage as error:
        raise InvalidInput(f"{name} cannot be read as a picture: {error}") from error


async def text_of_file(name: str, data: bytes, settings: Settings, pool: WorkPool) -> str:
    """The text of a submission's file; formats other than plain text are parsed in the pool."""
    if len(data) > settings.max_file_mb * 2**20:
        raise TooLarge(f"{name} has {len(data):,} bytes; at most {settings.max_file_mb} MiB are allowed.")
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in AS_WRITTEN:
        text = data.decode("utf-8", errors="replace")
        if "\0" in text:
            raise InvalidInput(f"{name} is not text. Save the work as UTF-8 text, PDF, notebook or picture.")
        return text
    if suffix not in SUFFIXES:
        known = ", ".join(sorted({*AS_WRITTEN, *SUFFIXES, *PICTURES}))
        raise InvalidInput(f"{name}: files ending in {suffix!r} cannot be read. Supported: {known}.")
    parser = FileParser(pool, submission_limits(settings), setting="EDUMOD_SUBMISSION")
    loaded = await parser.load(PurePosixPath(name).name, data, is_text=True)
    return "\n".join(line.text for line in loaded.lines)


def submission_limits(settings: Settings) -> WorkLimits:
    """For one file that a student hands in: never more than for a file that is ingested."""
    return WorkLimits(
        min(settings.submission_seconds, settings.parse_seconds),
        min(settings.submission_memory_mb, settings.parse_memory_mb),
    )
