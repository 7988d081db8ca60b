"""Prepares sections of text as courses of their own, in a database beside the product's."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from app.wiring import Services
from core.course import Course
from core.errors import SetupError
from core.types import Source
from eval.sensemaking.formats.sections import Section
from eval.sensemaking.student import course_of
from ingestion.files import discover

Progress = Callable[[int, int], None]


@asynccontextmanager
async def sections_as_courses(
    services: Services, sections: Sequence[Section], progress: Progress
) -> AsyncIterator[tuple[Services, dict[str, Course], list[str]]]:
    """Services with a course per section, the courses by section path, and problems.

    Sections are ingested once. Raises `SetupError` if none could be.
    """
    courses = {section.path: course_of(section) for section in sections}
    digest = hashlib.sha256(" ".join(sorted(course.id for course in courses.values())).encode()).hexdigest()[:16]
    problems: list[str] = []
    async with services.aside(f"sections-{digest}") as aside:
        async with aside.ingestion(by_rules=True) as ingestion:
            for done, section in enumerate(sections, start=1):
                course = courses[section.path]
                if await aside.store.courses.find(course.id) is None:
                    await aside.store.courses.put(course.id, course.model_dump(mode="json"))
                file = _write(section, course, aside.settings.home / "sections")
                report = await ingestion.run(course, Source.TEXTBOOK, discover([file]))
                if not report.ok:
                    del courses[section.path]
                    problems.append(f"{section.path} could not be ingested: {report.files[0].reason}")
                progress(done, len(sections))
        if problems and not courses:
            raise SetupError(" ".join(problems))
        yield aside, courses, problems


def _write(section: Section, course: Course, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{course.id}.txt"
    file.write_text(section.readable, encoding="utf-8")
    return file
