"""Courses whose material questions can be made of, and what may not be asked about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from app.wiring import Services, build_services
from core.course import Course
from core.types import Source
from ingestion.files import discover
from tests.app.live import live, settings_in
from tests.fakes import FakeEmbedder

BOOK = """# Cells

## The unit of life

The cell is the smallest unit of life that can live by itself. It was found by Hooke.

There are three types of muscle: smooth, cardiac, and skeletal. The thorax has three pairs of legs.

## The heart

The heart consists of two atria, two ventricles, and valves.

## Mites

The itch mite causes scabies in people of all ages.

## Code

```python
x = [1, 2, 3]
```
"""
KEY = """# Key to the exam

## Secret

The xylem is a hidden tissue that carries the water of plants.
"""
LATER = """# Later

## Next term

The phloem is a tissue that carries the sugar of plants.
"""


def write(folder: Path, book: str = BOOK) -> None:
    """The files of the course."""
    for name, text in {"book.md": book, "staff/key.md": KEY, "later.md": LATER}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


async def ingest(home: Path, folder: Path, *names: str, source: Source = Source.TEXTBOOK) -> None:
    """Ingest the folder's files into courses of these names, as `edumod course load` does."""
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    rules = [
        {"match": "staff/*", "visibility": "staff"},
        {"match": "later.md", "release_at": "2999-01-01T00:00:00Z"},
    ]
    async with services.ingestion() as ingestion:
        for name in names:
            course = Course.model_validate({"id": name, "title": f"The {name} course", "documents": rules})
            await services.store.courses.put(course.id, course.model_dump(mode="json"))
            await ingestion.run(course, source, discover([folder]), prune=True)
    await services.aclose()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("biology") / "material"
    write(found)
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    """A home with the courses `bio` and `other`."""
    found = tmp_path_factory.mktemp("quizzes")
    asyncio.run(ingest(found, folder, "bio", "other"))
    return found


@pytest.fixture
async def services(home: Path) -> AsyncIterator[Services]:
    built = await build_services(settings_in(home), embedder=FakeEmbedder())
    yield built
    await built.aclose()


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client
