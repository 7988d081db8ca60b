"""All staff texts of a course are secret, whatever a run has found; what its students may read is not."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.store.store import Store
from core.types import Source, Visibility
from retrievers.index.indexes import Indexes
from safeguards import CourseSecrets, SecretsOfCourses, without_leaks
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Block, Shelf

LINE = "There are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth."
NOTES = "Graders give two points for the table and one more for every reason that names the sample space."
EXAM = "The final exam asks for the variance of a loaded die and for the bias of its estimator."
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


class Course:
    """A course in a store, with a clock that a test sets."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.clock = Clock()
        self.shelf = Shelf(store, FakeEmbedder())
        self.indexes = Indexes(store, fake_embeddings(), folder, clock=self.clock)
        self.secrets = SecretsOfCourses()

    async def left(self, answer: str) -> str:
        """What is left of an answer in a run that has found nothing."""
        return without_leaks(answer, [], [], await self.secrets.get("mine", self.indexes))[0]


@pytest.fixture
async def course(tmp_path: Path) -> AsyncIterator[Course]:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'edumod.db'}")
    made = Course(store, tmp_path / "index")
    await made.shelf.add("mine", "hw3", [Block("Two dice.", solution=LINE)], source=Source.ASSIGNMENT)
    await made.shelf.add("mine", "ta", [NOTES], visibility=Visibility.STAFF)
    await made.shelf.add("mine", "exam", [EXAM], release_at=NOON + timedelta(hours=1))
    yield made
    await store.aclose()


@pytest.mark.parametrize("line", [LINE, NOTES, EXAM], ids=["solution", "staff document", "not released"])
async def test_no_text_that_students_may_not_read_is_said(course: Course, line: str) -> None:
    assert await course.left(f"Well. {line} Why?") == "Well. Why?"
    assert await course.left(f"Good start.\n\n{base64.b64encode(line.encode()).decode()}") == "Good start."


async def test_what_is_released_may_be_said_from_then_on(course: Course) -> None:
    assert await course.left(EXAM) == ""
    course.clock.time += timedelta(hours=1)
    assert await course.left(EXAM) == EXAM


async def test_what_is_ingested_anew_counts_at_once(course: Course) -> None:
    assert await course.left(LINE) == ""
    await course.shelf.add("mine", "hw3", [Block("Two dice.", solution=NOTES)], source=Source.ASSIGNMENT)
    assert await course.left(LINE) == LINE
    await course.shelf.add("mine", "book", [f"It is well known: {NOTES}"])
    assert await course.left(NOTES) == NOTES


async def test_a_document_that_becomes_one_for_staff_is_secret_at_once(course: Course) -> None:
    await course.shelf.add("mine", "book", [LINE])
    assert await course.left(LINE) == LINE
    await course.shelf.add("mine", "book", [LINE], visibility=Visibility.STAFF)
    assert await course.left(LINE) == ""


async def test_the_same_version_is_prepared_once(course: Course) -> None:
    first = await course.secrets.get("mine", course.indexes)
    assert await course.secrets.get("mine", course.indexes) is first
    await course.shelf.add("other", "notes", [LINE], visibility=Visibility.STAFF)
    assert await course.secrets.get("mine", course.indexes) is first


async def test_the_least_recently_used_course_is_prepared_again(course: Course) -> None:
    course.secrets = SecretsOfCourses(max_bytes=0)
    first = await course.secrets.get("mine", course.indexes)
    await course.shelf.add("other", "notes", [LINE])
    await course.secrets.get("other", course.indexes)
    assert await course.secrets.get("mine", course.indexes) is not first


async def test_courses_do_not_share_secrets(course: Course) -> None:
    await course.shelf.add("other", "book", ["Means and medians."])
    secrets = await course.secrets.get("other", course.indexes)
    assert without_leaks(LINE, [], [], secrets) == (LINE, 0)


def test_what_the_student_wrote_may_be_said_again_though_staff_have_it_too() -> None:
    assert without_leaks(LINE, [], [f"I wrote: {LINE}"], CourseSecrets.of([LINE], [])) == (LINE, 0)


def test_a_sentence_that_solutions_and_students_texts_share_may_be_said_in_any_form() -> None:
    secrets = CourseSecrets.of([f"{LINE}\n\n{NOTES}"], [f"By symmetry: {LINE}"])
    said = f"**{LINE}**\n\n{base64.b64encode(LINE.encode()).decode()}"
    assert without_leaks(f"{said}\n\n{NOTES}", [], [], secrets) == (said, 1)


def test_a_course_without_staff_texts_prepares_nothing() -> None:
    assert not CourseSecrets.of([], [LINE])
    assert CourseSecrets.of([], [LINE]).nbytes == CourseSecrets().nbytes
