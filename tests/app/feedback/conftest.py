"""A service with a course of two homework tasks, and a solution whose assignment students do not have."""

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

TASK = """# Homework 1

## 1. A car

A car moves at 5 m/s and accelerates at 2 m/s² for 3 s. How fast is it then?

## 2. A ball

A ball falls from 20 m.

(a) How long does it fall?

(b) How fast is it when it lands?
"""
SOLUTION = """# Homework 1

## 1. A car

**Solution.** $v = 5\\,\\text{m/s} + 2\\,\\text{m/s}^2 \\cdot 3\\,\\text{s} = 11\\,\\text{m/s}$

## 2. A ball

**Solution.**

(a) $t = \\sqrt{2 \\cdot 20/9.81} = 2.02\\,\\text{s}$

(b) $v = gt = 9.81 \\cdot 2.02 = 19.8\\,\\text{m/s}$
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    material = tmp_path_factory.mktemp("material")
    (material / "hw1.md").write_text(TASK, encoding="utf-8")
    (material / "hw1_sol.md").write_text(SOLUTION, encoding="utf-8")
    # A solution without its assignment: nothing of it is for students.
    secret = "# Final exam\n\n## 1. Secret\n\n**Solution.** $x = 3$\n"
    (material / "final_sol.md").write_text(secret, encoding="utf-8")

    async def ingest() -> None:
        services = await build_services(settings_in(folder), embedder=FakeEmbedder())
        course = Course(id="mech", title="Mechanics")
        async with services.ingestion() as ingestion:
            await services.store.courses.put(course.id, course.model_dump(mode="json"))
            await ingestion.run(course, Source.ASSIGNMENT, discover([material]))
        await services.aclose()

    asyncio.run(ingest())
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client
