"""The page of a PDF document, also where its image cannot be drawn."""

from __future__ import annotations

import asyncio
import re
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

CHAPTER = Path(__file__).parents[3] / "data" / "ds101" / "textbook" / "11-logistic-regression.pdf"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    async def ingest() -> None:
        services = await build_services(settings_in(tmp_path), embedder=FakeEmbedder())
        course = Course(id="c")
        async with services.ingestion() as ingestion:
            await services.store.courses.put(course.id, course.model_dump(mode="json"))
            await ingestion.run(course, Source.TEXTBOOK, discover([CHAPTER]))
        await services.aclose()

    asyncio.run(ingest())
    return tmp_path


@pytest.fixture
def client(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


def document(client: httpx.Client) -> str:
    page = client.get("/courses/c", headers={"Accept": "text/html"}).text
    match = re.search(r"/courses/c/documents/\w+", page)
    assert match is not None
    return match[0]


def test_a_page_stands_beside_its_text(client: httpx.Client) -> None:
    address = document(client)
    assert f"{address}/pages/1" in client.get(address).text
    image = client.get(f"{address}/pages/1")
    assert (image.status_code, image.headers["content-type"]) == (200, "image/png")


def test_a_page_that_cannot_be_drawn_leaves_its_text_and_says_so(client: httpx.Client, home: Path) -> None:
    (kept,) = (home / "files").glob("*.pdf")
    kept.chmod(0o600)
    kept.write_bytes(b"%PDF-1.7\nnothing")
    address = document(client)
    page = client.get(address).text
    assert "Page 1 cannot be shown as an image. The file is broken there." in page
    assert "sigmoid" in page
    image = client.get(f"{address}/pages/1")
    assert image.status_code == 422
    assert "cannot be shown" in image.json()["detail"]
