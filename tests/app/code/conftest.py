"""A service with a chapter of a programming course."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.wiring import build_services
from core.course import Course
from core.types import Source
from ingestion.files import discover
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder

CHAPTER = """# Chapter 4: Loops

## 4.1 for

A `for` loop runs its block once for each element.

## 4.2 range

`range(stop)` counts from 0. The stop value is never part of a range: `range(3)` is 0, 1, 2.
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    material = tmp_path_factory.mktemp("material")
    (material / "loops.md").write_text(CHAPTER, encoding="utf-8")

    async def ingest() -> None:
        services = await build_services(settings_in(folder), embedder=FakeEmbedder())
        course = Course(id="cs", title="Programming")
        async with services.ingestion() as ingestion:
            await services.store.courses.put(course.id, course.model_dump(mode="json"))
            await ingestion.run(course, Source.TEXTBOOK, discover([material]))
        await services.aclose()

    asyncio.run(ingest())
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client
