"""Makes the quiz of a course, and adds to it what is missing."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from app.quizzes.sections import ReadableSections
from core.access import Person
from core.errors import InvalidInput, NoMaterial, UnknownName
from core.store.store import Store
from core.store.tables import QuizRow, now
from core.types import Source
from retrievers.embedding.base import Embedder
from teaching.course import CourseSection, SectionKey, TaughtSection, public_sections, teach_sections

PER_SECTION = 3
MAX_PER_SECTION = 20
SOURCES = ", ".join(one.value for one in Source if one is not Source.QA)
EXERCISE = "it is an exercise, which is a question itself"
ASKED_ELSEWHERE = "the quiz has its questions about other sections already"
NO_SENTENCE = "no sentence of it makes a question by rules"
Progress = Callable[[int, int], None]
"""Called with the numbers of done and of all sections."""
Teach = Callable[[Sequence[CourseSection], Mapping[SectionKey, int], int], AsyncIterator[TaughtSection]]
"""Yields questions for each section that has fewer than that many; the mapping counts those that they have."""
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class QuizRequest:
    """The material of a quiz, and the maximum of questions per section."""

    source: Source
    document: str = ""
    per_section: int = PER_SECTION


@dataclass(frozen=True)
class Made:
    """What a run added to a quiz; `unusable` has locations of sections without enough questions, with reasons."""

    quiz: QuizRow
    added: int
    questions: int
    sections: int
    with_questions: int
    unusable: tuple[tuple[str, str], ...]


class QuizMaking:
    """One per process."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._running: dict[str, asyncio.Task[Made]] = {}
        self._done: dict[str, tuple[int, int]] = {}

    async def make(
        self,
        course_id: str,
        wanted: QuizRequest,
        by: Person,
        progress: Progress = lambda done, total: None,
        teach: Teach | None = None,
    ) -> Made:
        """Make the quiz, or add questions to sections that have fewer; `teach` writes them, or rules.

        Stores section by section, so an interrupted run continues. Raises `UnknownName` and `NoMaterial`.
        """
        sections = await self._sections(course_id, wanted)
        quiz = await self._store.quizzes.open(course_id, wanted.source, wanted.document, by)
        return await self._fill(quiz, sections, wanted.per_section, progress, teach)

    async def start(self, course_id: str, wanted: QuizRequest, by: Person) -> QuizRow:
        """The same in the background. Raises what `make` raises; a later failure is logged."""
        sections = await self._sections(course_id, wanted)
        quiz = await self._store.quizzes.open(course_id, wanted.source, wanted.document, by)
        if quiz.id not in self._running:

            def progress(done: int, total: int) -> None:
                self._done[quiz.id] = done, total

            progress(0, len(sections))
            task = asyncio.create_task(self._fill(quiz, sections, wanted.per_section, progress))
            self._running[quiz.id] = task
            task.add_done_callback(lambda _: self._forget_task(quiz.id))
        return quiz

    def progress(self, quiz_id: str) -> tuple[int, int] | None:
        """The numbers of done and of all sections, while this process makes the quiz."""
        return self._done.get(quiz_id)

    async def aclose(self) -> None:
        """Stop. What was made so far is stored."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _sections(self, course_id: str, wanted: QuizRequest) -> list[CourseSection]:
        await self._store.courses.get(course_id)
        if wanted.source is Source.QA:
            raise InvalidInput(f"Past questions are words of students, so no quiz is made of them. Use {SOURCES}.")
        sections = public_sections(await self._store.material.blocks(course_id, wanted.source, now()))
        if wanted.document:
            names = list(dict.fromkeys(one.document for one in sections))
            if wanted.document not in names:
                raise UnknownName(f"{wanted.source} document that students may read", wanted.document, names)
            sections = [one for one in sections if one.document == wanted.document]
        if not sections:
            raise NoMaterial(
                f"The course {course_id} has no {wanted.source} material that students "
                "may read. Ingest some, or name another source."
            )
        return sections

    def _by_rules(
        self, sections: Sequence[CourseSection], asked: Mapping[SectionKey, int], per_section: int
    ) -> AsyncIterator[TaughtSection]:
        return teach_sections(sections, asked, per_section, self._embedder)

    async def _fill(
        self,
        quiz: QuizRow,
        sections: list[CourseSection],
        per_section: int,
        progress: Progress,
        teach: Teach | None = None,
    ) -> Made:
        readable = ReadableSections(sections)
        existing = [readable.section_of(row) for row in await self._store.quizzes.questions(quiz)]
        asked = Counter(one.key for one in existing if one is not None)
        unusable: dict[str, str] = {}
        added = done = 0
        async for taught in (teach or self._by_rules)(sections, asked, per_section):
            section = taught.section
            if taught.questions:
                count = await self._store.quizzes.add(quiz, taught.questions, per_section - asked[section.key])
                asked[section.key] += count
                added += count
            if (reason := _reason(taught, asked[section.key])) is not None:
                unusable[section.location] = reason
            done += 1
            progress(done, len(sections))
        keys = {one.key for one in sections}
        with_questions = sum(asked[key] > 0 for key in keys)
        return Made(quiz, added, asked.total(), len(keys), with_questions, tuple(unusable.items()))

    def _forget_task(self, quiz_id: str) -> None:
        task = self._running.pop(quiz_id)
        self._done.pop(quiz_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Making the quiz %s ended early: %s", quiz_id, error)


def _reason(taught: TaughtSection, questions: int) -> str | None:
    """Why the section has no question, or no further one; None where nothing failed."""
    if questions:
        return None if taught.problem is None else f"no further question: {taught.problem}"
    if any(one.label for one in taught.section.passages):
        return EXERCISE
    return taught.problem or (ASKED_ELSEWHERE if taught.questions else NO_SENTENCE)
