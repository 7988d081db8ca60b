"""Whose calendar a fact is in, on a real SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from core.store.facts import CourseFacts
from core.store.store import Store
from core.store.tables import WorkRow, now
from core.types import Audience, Source, Visibility
from retrievers.index.calendars import read_calendar
from retrievers.index.released import END_OF_TIME
from tests.core.store.test_store import document, tree


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite:///{tmp_path / 'edumod.db'}")
    await opened.courses.put("ds101", {"id": "ds101", "title": "Weaving, 2026"})
    yield opened
    await opened.aclose()


async def add(store: Store, name: str, number: str, **values: Any) -> None:
    row = document(name, source=Source.ASSIGNMENT, **values)
    due = {"month": 2, "day": 19}
    said = WorkRow(
        node_id=f"{row.id}/1", ordinal=0, course_id="ds101", kind="homework", number=number, due=due, quote="text 1"
    )
    await store.material.replace(row, tree(row), [], facts=CourseFacts([said]))


async def works(store: Store, audience: Audience, *, later: bool = False) -> list[str]:
    calendar = await read_calendar(store, await store.courses.get("ds101"), audience, END_OF_TIME if later else now())
    return [work.label for work in calendar.works]


async def test_students_never_get_what_is_for_staff_or_not_released(store: Store) -> None:
    await add(store, "open.md", "1")
    await add(store, "staff.md", "2", visibility=Visibility.STAFF)
    await add(store, "solution.md", "3", is_solution=True)
    await add(store, "later.md", "4", release_at=now() + timedelta(days=9))
    assert await works(store, Audience.STUDENTS) == ["Homework 1"]
    assert len(await works(store, Audience.STAFF, later=True)) == 4


async def test_what_a_document_said_goes_with_it(store: Store) -> None:
    await add(store, "open.md", "1")
    await add(store, "open.md", "5")
    assert await works(store, Audience.STUDENTS) == ["Homework 5"]
    await store.material.remove("ds101", ["ds101-open.md"])
    assert await works(store, Audience.STUDENTS) == []
