"""A small course, ingested through the command's own code, and servers around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.wiring import build_services
from core.course import Course
from core.settings import Settings
from core.types import Source
from ingestion.files import discover
from tests.app.ingested import IngestedHomes, is_empty, key_of
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder
from tests.servers.homes import use_database
from tests.servers.postgresql import SQLITE_FIRST, new_database

SYLLABUS = """# Syllabus

## Homework due dates

| Assignment | Topic | Due |
|---|---|---|
| Homework 1 | Tables | Thursday, January 29, 23:59 |
| Homework 3 | Probability | Thursday, February 19, 23:59 |

## Late work

You have 6 slip days for the term. At most 2 slip days can be used on one homework.

## Exams

The midterm is on March 10 in Hollis Hall.
"""
BOOK = """# Chapter 3: Cleaning

## Missing values

A missing value is stored as NaN. Comparing NaN with anything is False; use isna to find missing values.

## Duplicates

Call drop_duplicates to remove rows that occur more than once.
"""
HOMEWORK = """# Homework 3

## Problem 1: Dice

Compute the probability that two dice sum to seven.
"""
HOMEWORK_SOLUTION = HOMEWORK + "\n**Solution:** There are six of thirty-six outcomes, hence one sixth.\n"
THREAD = (
    '{"id": "t1", "question": {"title": "slip days?", "body": "can i use slip days on the project"}, '
    '"thread": [{"role": "ta", "body": "Yes, up to two slip days on each project.", "endorsed": true}]}\n'
)


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("material")
    files = {
        "logistics/syllabus.md": SYLLABUS,
        "textbook/03.md": BOOK,
        "assignments/hw3.md": HOMEWORK,
        "assignments/hw3_sol.md": HOMEWORK_SOLUTION,
        "qa/threads.jsonl": THREAD,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


INGESTED = IngestedHomes()


async def ingest_all(settings: Settings, material: Path, *courses: Course) -> None:
    """Ingest the material for each course. A new home like an earlier one gets a copy of its database."""
    if not is_empty(settings):
        await _ingest(settings, material, courses)
        return
    key = key_of(settings, material, courses)
    if not INGESTED.fill(settings, key):
        await _ingest(settings, material, courses)
        INGESTED.keep(settings, key)


async def _ingest(settings: Settings, material: Path, courses: tuple[Course, ...]) -> None:
    services = await build_services(settings, embedder=FakeEmbedder())
    folders = {
        Source.LOGISTICS: "logistics",
        Source.TEXTBOOK: "textbook",
        Source.ASSIGNMENT: "assignments",
        Source.QA: "qa",
    }
    async with services.ingestion() as ingestion:
        for course in courses:
            await services.store.courses.put(course.id, course.model_dump(mode="json"))
            for source, folder in folders.items():
                await ingestion.run(course, source, discover([material / folder]))
    await services.aclose()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of a module that sets `ON_EACH_DATABASE` and use `home` run on SQLite, and as slow tests on PostgreSQL."""
    if "home" in metafunc.fixturenames and getattr(metafunc.module, "ON_EACH_DATABASE", False):
        metafunc.parametrize("home", SQLITE_FIRST, indirect=True, scope="session")


@pytest.fixture(scope="session")
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, material: Path) -> Iterator[Path]:
    """A home with the courses `small` and `strict`; the latter asks for consent and has categories."""
    folder = tmp_path_factory.mktemp("home")
    strict = Course(id="strict", title="Strict", consent_required=True, categories=("Homework 3", "Logistics"))
    courses = (Course(id="small", title="Small"), strict)
    kind = getattr(request, "param", "sqlite")
    with new_database(request, kind, folder) as url:
        if kind != "sqlite":
            use_database(folder, url)
        asyncio.run(ingest_all(settings_in(folder), material, *courses))
        yield folder


@pytest.fixture(scope="session")
def client(home: Path) -> Iterator[httpx.Client]:
    """A running server on the offline backend."""
    with live(settings_in(home)) as client:
        yield client
