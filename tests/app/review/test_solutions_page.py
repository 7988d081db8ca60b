"""Solutions that belong to no question are listed, and an instructor gives them to one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.wiring import build_services
from core.access import Permission
from core.course import Course
from core.store.store import Store
from core.store.tables import now
from core.types import Source
from ingestion.files import discover
from retrievers.index.solutions import join_solutions
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.fakes import FakeEmbedder
from tests.servers.homes import database_of

HOMEWORK = """# Homework 3

## Problem 1: Dice

Compute the probability that two dice sum to seven.

## Problem 2: Cards

Compute the probability of drawing two aces.
"""
SOLUTION = """# Week 3

## Problem 1: Dice

Six of thirty-six outcomes, hence one sixth.

## Problem 7: The aces

Four of fifty-two, then three of fifty-one.
"""
WHOLE = "/courses/small/solutions"


async def ingest(home: Path, folder: Path) -> None:
    services = await build_services(settings_in(home), embedder=FakeEmbedder())
    course = Course(id="small", title="Small")
    await services.store.courses.put("small", course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        await ingestion.run(course, Source.ASSIGNMENT, discover([folder / "assignments"]))
    await services.aclose()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("material")
    (found / "assignments").mkdir()
    (found / "assignments" / "hw3.md").write_text(HOMEWORK, encoding="utf-8")
    (found / "assignments" / "week3_sol.md").write_text(SOLUTION, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    home = tmp_path_factory.mktemp("solutions")
    asyncio.run(ingest(home, folder))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        yield client


async def _solutions(home: Path) -> dict[str, str]:
    store = await Store.open(database_of(home))
    blocks = await store.material.blocks("small", Source.ASSIGNMENT, now())
    await store.aclose()
    return {one.passage.heading_path[-1]: one.passage.solution for one in join_solutions(blocks)}


def solutions(home: Path) -> dict[str, str]:
    """What stands with each question, by its heading."""
    return asyncio.run(_solutions(home))


def document(home: Path, name: str) -> Any:
    async def read() -> Any:
        store = await Store.open(database_of(home))
        rows = await store.material.documents("small")
        blocks = await store.material.blocks_of("small", next(one.id for one in rows if one.name.endswith(name)))
        await store.aclose()
        return blocks

    return asyncio.run(read())


def test_a_solution_is_given_to_its_assignment_and_stays_there(
    server: httpx.Client, own_home: Path, folder: Path
) -> None:
    blocks = document(own_home, "week3_sol.md")
    solution, homework = blocks[0].passage.document_id, document(own_home, "hw3.md")[0].passage.document_id
    assert "no assignment" in server.get(WHOLE).text
    assert "This solution belongs to no assignment" in server.get("/courses/small").text
    given = server.post(f"{WHOLE}/{solution}", data={"assignment": homework})
    assert given.status_code == 303
    assert "1 of 2 parts alone" in server.get(WHOLE).text
    assert "This solution belongs to no assignment" not in server.get("/courses/small").text
    aces = next(one.passage.block_id for one in blocks if "aces" in one.passage.heading_path[-1])
    where = f"{WHOLE}/{solution}/blocks/{aces}"
    assert server.post(where, data={"label": "9"}).status_code == 422
    assert server.post(where, data={"label": "2"}).status_code == 303
    assert "all 2 parts paired" in server.get(WHOLE).text
    assert "three of fifty-one" in solutions(own_home)["Problem 2: Cards"]
    (folder / "assignments" / "week3_sol.md").write_text(f"{SOLUTION}\nHence one in 221.\n", encoding="utf-8")
    asyncio.run(ingest(own_home, folder))
    assert "one in 221" in solutions(own_home)["Problem 2: Cards"]
    assert "one sixth" in solutions(own_home)["Problem 1: Dice"]
    assert server.post(f"{WHOLE}/{solution}", data={"assignment": "none"}).status_code == 303
    assert solutions(own_home)["Problem 1: Dice"] == ""
    assert server.post(f"{WHOLE}/{solution}", data={"assignment": ""}).status_code == 303
    assert "as its name says" in server.get(WHOLE).text


def test_a_solution_is_given_to_nothing_but_an_assignment(server: httpx.Client, own_home: Path) -> None:
    solution = document(own_home, "week3_sol.md")[0].passage.document_id
    homework = document(own_home, "hw3.md")[0].passage.document_id
    assert server.post(f"{WHOLE}/{solution}", data={"assignment": solution}).status_code == 422
    assert server.post(f"{WHOLE}/{homework}", data={"assignment": homework}).status_code == 422
    assert server.post(f"{WHOLE}/{solution}", data={"assignment": "gone"}).status_code == 404


def test_assistants_read_the_page_and_students_do_not(server: httpx.Client, own_home: Path) -> None:
    ta = headers(made_key(own_home, Permission.ANSWER, Permission.DRAFTS_READ, name="a TA"))
    student = headers(made_key(own_home, Permission.ANSWER, name="a student"))
    assert "Save" not in server.get(WHOLE, headers=ta).text
    assert server.get(WHOLE, headers=student).status_code == 403
    solution = document(own_home, "week3_sol.md")[0].passage.document_id
    assert server.post(f"{WHOLE}/{solution}", data={"assignment": "none"}, headers=ta).status_code == 403


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    server: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    program = axe()
    context = browser_page.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    assert violations(page, f"{server.base_url}{WHOLE}", program) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
