"""Reads the images of a question, with the model if it accepts images, else with OCR. Failures are reported."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

from core.concurrency import in_thread
from core.course import Course
from core.errors import ModelError, UnreadableImage
from core.llm.task import Image
from core.ocr import OcrText, find_tesseract, read_text
from core.types import Question, StepKind
from core.work.pool import WorkPool
from core.work.process import WorkFailed, WorkStopped
from core.work.serving import WorkLimits
from pipelines.images.pictures import demand_picture, for_model, for_ocr
from pipelines.running.deadline import Deadline
from pipelines.running.model import RunModel
from pipelines.running.trace import Details, Trace
from tasks import ReadImage

log = logging.getLogger("edumod")
T = TypeVar("T")

PICTURE_LIMITS = WorkLimits(20.0, 768)
"""For opening one image; one of the most pixels that are read needs about 500 MiB for a moment."""

MAX_CONCURRENT = 2
"""Images that are opened or read by tesseract concurrently, over all requests."""
TIME_SHARE = 0.5
"""Maximum share of the time for searching that reading may take."""
MAX_TEXT_CHARS = 4_000
"""Maximum characters of one image's text."""
NO_TEXT = "no text was found in it"
NO_OCR = "OCR is not installed (`edumod doctor` shows how to install it)"
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")


def unchanged(text: str) -> str:
    """For texts that hide nothing."""
    return text


@dataclass(frozen=True)
class Pictures:
    """The image files of a question. `hide` replaces personal data in what is read in them."""

    files: tuple[bytes, ...] = ()
    hide: Callable[[str], str] = unchanged


@dataclass(frozen=True)
class ImageReader:
    """Reads images. `vision` is true if the model accepts images; `find` returns the path of tesseract, or None.

    `hide` is applied to each text before anything else sees it.
    """

    pool: WorkPool = field(default_factory=WorkPool)
    vision: bool = False
    max_pixels: int = 25_000_000
    ocr_seconds: float = 20.0
    find: Callable[[], str | None] = find_tesseract
    hide: Callable[[str], str] = unchanged
    permits: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT))

    async def by_ocr(self, data: bytes, languages: Sequence[str]) -> OcrText:
        """The text that tesseract finds. Raises `UnreadableImage`, also if tesseract is not installed."""
        async with self.permits:
            picture = await self._opened(for_ocr, data)
            program = self.find()
            if program is None:
                raise UnreadableImage(NO_OCR)
            return await read_text(program, picture, languages, self.ocr_seconds)

    async def by_model(self, data: bytes, course: Course, model: RunModel, details: Details, seconds: float) -> str:
        """The text that the model reads. Raises `UnreadableImage`, a `ModelError`, or `TimeoutError`."""
        async with self.permits:
            media_type, file = await self._opened(for_model, data)
        image = Image(media_type=media_type, data=base64.b64encode(file).decode())
        return await model.do(details, lambda _: ReadImage(course=course.title or course.id, image=image), seconds)

    async def check(self, data: bytes) -> None:
        """Raises `UnreadableImage` for a file that is no picture that can be read."""
        await self._opened(demand_picture, data)

    async def _opened(self, work: Callable[[bytes, int], T], data: bytes) -> T:
        try:
            return await self.pool.run(partial(work, data, self.max_pixels), PICTURE_LIMITS)
        except (WorkStopped, WorkFailed) as error:
            raise UnreadableImage(f"it could not be opened. {error}".rstrip(".")) from error


class OneAtATime(asyncio.Semaphore):
    """Permits shared by all runs. One run holds at most one at a time, so that others get theirs in between."""

    def __init__(self, shared: asyncio.Semaphore) -> None:
        super().__init__(1)
        self._shared = shared

    async def acquire(self) -> Literal[True]:
        await super().acquire()
        try:
            return await self._shared.acquire()
        except BaseException:
            super().release()
            raise

    def release(self) -> None:
        self._shared.release()
        super().release()


class RunImages:
    """The reading of one run's images."""

    def __init__(
        self, reader: ImageReader, course: Course, question: Question, model: RunModel, deadline: Deadline, trace: Trace
    ) -> None:
        self.problems: list[str] = []
        self.by_model: set[str] = set()
        """Texts that a model returned, which could be anything, whatever the image shows."""
        self.confidence: dict[str, float] = {}
        """How sure OCR is of the texts that it read."""
        self._reader = reader
        self._course = course
        self._languages = [tag for tag in (question.language, course.language) if tag]
        self._model = model
        self._deadline = deadline
        self._trace = trace

    async def read(self, images: Sequence[bytes]) -> tuple[str, ...]:
        """The texts of the images. `problems` lists the images without a text, with reasons."""
        ends = self._deadline.to_search * TIME_SHARE + asyncio.get_running_loop().time()
        numbered = enumerate(images, 1)
        texts = await asyncio.gather(*(self._read(number, image, ends) for number, image in numbered))
        return tuple(text for text in texts if text)

    async def _read(self, number: int, image: bytes, ends: float) -> str:
        with self._trace.step(StepKind.READ) as details:
            try:
                async with asyncio.timeout_at(ends):
                    text = await self._text(image, details, ends)
                if not text:
                    raise UnreadableImage(NO_TEXT)
            except UnreadableImage as error:
                return self._unread(number, details, str(error))
            except TimeoutError:
                return self._unread(number, details, "time ran short")
            sure = self.confidence.get(text)
            by = "" if sure is None else f" (read by OCR, its words {100 * sure:.0f} % sure on average)"
            details["note"] = f"Image {number}{by}: {text}"
        return text

    async def _text(self, image: bytes, details: Details, ends: float) -> str:
        if not self._reader.vision:
            return await self._by_ocr(image)
        try:
            left = ends - asyncio.get_running_loop().time()
            text = await self._cleaned(await self._reader.by_model(image, self._course, self._model, details, left))
            self.by_model.add(text)
            return text
        except ModelError as error:
            log.warning("The model did not read an image: %s", error)
            self.problems.append(f"The model did not read an image, OCR was tried instead: {error.public}")
            return await self._by_ocr(image)

    async def _by_ocr(self, image: bytes) -> str:
        read = await self._reader.by_ocr(image, self._languages)
        text = await self._cleaned(read.text)
        self.confidence[text] = read.confidence
        return text

    async def _cleaned(self, text: str) -> str:
        return await in_thread(lambda: self._reader.hide(tidy(text)))

    def _unread(self, number: int, details: Details, reason: str) -> str:
        problem = f"Image {number} was not read, since {reason}."
        details["error"] = problem
        self.problems.append(problem)
        return ""


def tidy(text: str) -> str:
    """The text with plain quotation marks, without empty lines and control characters, at most `MAX_TEXT_CHARS`."""
    lines = (" ".join(line.split()) for line in re.sub(r"[^\S\n]|[\x00-\x09\x0b-\x1f]", " ", text).splitlines())
    return "\n".join(line for line in lines if line).translate(_STRAIGHT)[:MAX_TEXT_CHARS]
