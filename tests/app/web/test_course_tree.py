"""The course's tree with counts, for staff."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.access import Permission
from core.course import Course, DocumentRule
from core.store.store import Store
from core.store.tables import now
from core.types import Visibility
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, made_key
from tests.app.review.test_axe import axe, violations
from tests.servers.homes import database_of

PAGE = "/courses/small/tree"


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Path:
    home = tmp_path_factory.mktemp("tree")
    rule = DocumentRule(match="*syllabus*", visibility=Visibility.STAFF)
    asyncio.run(ingest_all(settings_in(home), material, Course(id="small", documents=(rule,)), Course(id="empty")))
    return home


@pytest.fixture(scope="module")
def server(own_home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(own_home)) as client:
        yield client


def test_counts_are_those_of_what_students_may_read(server: httpx.Client, own_home: Path) -> None:
    async def counted() -> tuple[int, int, dict[str, tuple[int, int]], dict[str, str]]:
        store = await Store.open(database_of(own_home))
        everything = sum(one.blocks for one in await store.material.counts("small"))
        public = sum(one.blocks for one in await store.material.counts_for_students("small", now()))
        counts = await store.material.block_counts("small", now())
        names = {row.id: row.name for row in await store.material.documents("small")}
        await store.aclose()
        return everything, public, counts, names

    everything, public, counts, names = asyncio.run(counted())
    assert (sum(one for one, _ in counts.values()), sum(one for _, one in counts.values())) == (everything, public)
    syllabus = next(counts[one] for one, name in names.items() if "syllabus" in name)
    assert syllabus[0] > syllabus[1] == 0
    page = server.get(PAGE).text
    assert f"{syllabus[0]} not for students" in page
    assert all(f"/courses/small/documents/{one}" in page for one in counts)


def test_it_is_for_staff_and_linked_from_the_course(server: httpx.Client, own_home: Path) -> None:
    assert f'href="{PAGE}"' in server.get("/courses/small").text
    assert server.get(PAGE, headers=headers(made_key(own_home, Permission.ANSWER))).status_code == 403
    elsewhere = headers(made_key(own_home, Permission.DRAFTS_READ, courses=("empty",)))
    assert server.get(PAGE, headers=elsewhere).status_code == 403
    assert server.get("/courses/none-such/tree").status_code in (404, 422)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_page_has_no_violations_and_fits_a_phone(
    server: httpx.Client, browser_page: Any, width: int, scheme: str
) -> None:
    look = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    context = browser_page.new_context(**look)
    page = context.new_page()
    for course in ("small", "empty"):
        assert violations(page, f"{server.base_url}/courses/{course}/tree", axe()) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
