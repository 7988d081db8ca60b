"""What is released to whom, and when, on a real SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.access import LOCAL
from core.store.material import StoredBlock
from core.store.store import Store
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow, now
from core.types import Source, Visibility


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(database_url)
    await opened.courses.put("ds101", {"id": "ds101"})
    yield opened
    await opened.aclose()


async def add(store: Store, name: str, *, course: str = "ds101", blocks: int = 1, **values: Any) -> None:
    """Store a document of a root and that many blocks."""
    fields: dict[str, Any] = {
        "id": f"{course}-{name}", "course_id": course, "source": Source.TEXTBOOK, "name": name, "title": name,
        "sha256": "0", "build": "0", "state": DocumentState.INDEXED, "visibility": Visibility.STUDENT,
    }  # fmt: skip
    row = DocumentRow(**{**fields, **values})
    await store.material.replace(row, [_node(row, n) for n in range(blocks + 1)], [])


def _node(row: DocumentRow, ordinal: int) -> NodeRow:
    return NodeRow(
        id=f"{row.id}/{ordinal}", course_id=row.course_id, document_id=row.id, ordinal=ordinal, title="t",
        parent_id=f"{row.id}/0" if ordinal else None, kind=NodeKind.BLOCK if ordinal else NodeKind.DOCUMENT,
        text=f"text {ordinal}", position={"start": 0, "end": 6},
    )  # fmt: skip


def names(blocks: Sequence[StoredBlock]) -> list[str]:
    return [block.passage.document for block in blocks]


HW5: dict[str, Any] = {"source": Source.ASSIGNMENT, "pair": "hw5"}


async def test_a_solution_that_staff_gave_to_an_assignment_is_not_released_before_it(store: Store) -> None:
    await add(store, "hw5.md", release_at=now() + timedelta(days=1), **HW5)
    await add(store, "week5_sol.md", source=Source.ASSIGNMENT, pair="week5", is_solution=True)
    assert names(await store.material.blocks("ds101", None, now())) == ["week5_sol.md"]
    await store.pairings.give("ds101", "ds101-week5_sol.md", "ds101-hw5.md", LOCAL)
    assert names(await store.material.blocks("ds101", None, now())) == []
    await store.pairings.forget("ds101", "ds101-week5_sol.md", LOCAL)
    assert names(await store.material.blocks("ds101", None, now())) == ["week5_sol.md"]


async def test_a_solution_is_not_released_before_its_assignment(store: Store) -> None:
    tomorrow, later = now() + timedelta(days=1), now() + timedelta(days=2)
    await add(store, "hw5.md", release_at=tomorrow, **HW5)
    await add(store, "hw5_sol.md", release_at=now(), is_solution=True, **HW5)
    await add(store, "hw5_sol.ipynb", is_solution=True, **HW5)
    await add(store, "hw4_sol.md", source=Source.ASSIGNMENT, pair="hw4", is_solution=True)
    await add(store, "sol.md", source=Source.ASSIGNMENT, is_solution=True)
    for source in (None, Source.ASSIGNMENT):
        assert names(await store.material.blocks("ds101", source, now())) == ["hw4_sol.md", "sol.md"]
        assert len(await store.material.inner_nodes("ds101", source, now())) == 2
        assert len(await store.material.blocks("ds101", source, later)) == 5
    assert await store.material.next_release("ds101", now()) == tomorrow


async def test_a_solution_with_a_later_release_of_its_own_waits_for_it(store: Store) -> None:
    tomorrow, later = now() + timedelta(days=1), now() + timedelta(days=2)
    await add(store, "hw5.md", **HW5)
    await add(store, "hw5_sol.md", release_at=tomorrow, is_solution=True, **HW5)
    assert names(await store.material.blocks("ds101", None, now())) == ["hw5.md"]
    assert names(await store.material.blocks("ds101", None, later)) == ["hw5.md", "hw5_sol.md"]


async def test_a_solution_waits_for_every_form_of_its_assignment(store: Store) -> None:
    await add(store, "hw5.md", **HW5)
    await add(store, "hw5.pdf", release_at=now() + timedelta(days=1), **HW5)
    await add(store, "hw5_sol.md", is_solution=True, **HW5)
    assert names(await store.material.blocks("ds101", None, now())) == ["hw5.md"]


async def test_a_solution_that_students_may_see_waits_for_its_assignment_too(store: Store) -> None:
    tomorrow, later = now() + timedelta(days=1), now() + timedelta(days=2)
    await add(store, "hw5.md", release_at=tomorrow, **HW5)
    await add(store, "hw5_sol.md", release_at=now(), is_solution=False, **HW5)
    assert names(await store.material.blocks("ds101", None, now())) == []
    assert names(await store.material.blocks("ds101", None, later)) == ["hw5.md", "hw5_sol.md"]


async def test_an_unreleased_assignment_of_another_course_withholds_no_solution(store: Store) -> None:
    await store.courses.put("other", {"id": "other"})
    await add(store, "hw5.md", course="other", release_at=now() + timedelta(days=1), **HW5)
    await add(store, "hw5_sol.md", is_solution=True, **HW5)
    assert names(await store.material.blocks("ds101", None, now())) == ["hw5_sol.md"]


async def test_only_what_students_may_read_is_counted_for_them(store: Store) -> None:
    tomorrow = now() + timedelta(days=1)
    await add(store, "a.md", blocks=2)
    await add(store, "notes.md", visibility=Visibility.STAFF)
    await add(store, "hw1_sol.md", source=Source.ASSIGNMENT, pair="hw1", is_solution=True)
    await add(store, "hw5.md", release_at=tomorrow, **HW5)

    async def counted(at: datetime) -> list[tuple[str, int, int]]:
        counts = await store.material.counts_for_students("ds101", at)
        return [(count.source, count.documents, count.blocks) for count in counts]

    assert await counted(now()) == [("textbook", 1, 2)]
    assert await counted(tomorrow) == [("assignment", 1, 1), ("textbook", 1, 2)]
    assert [count.documents for count in await store.material.counts("ds101")] == [2, 2]
