"""The stored trees as one tree for searching."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from core.store.tables import NodeKind, now
from core.types import Source
from retrievers.index.indexes import Indexes
from retrievers.index.outline import MAX_CHILDREN, MAX_CONTENTS, OutlineNode, build_outline, contents
from tests.retrievers.shelf import Block, Shelf
from tests.retrievers.trees import plant


def walk(entry: OutlineNode) -> Iterator[OutlineNode]:
    yield entry
    for child in entry.children:
        yield from walk(child)


def labels(entry: OutlineNode) -> list[str]:
    return [one.label for one in contents(entry)]


async def outline(indexes: Indexes, source: Source | None = None) -> OutlineNode:
    return await (await indexes.get("ds", source)).outline()


async def test_documents_come_with_their_sections_and_leaves_in_order(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "a.md", {"One": {"1.1": "x", "1.2": "y"}, "Two": "z"})
    await plant(shelf, "ds", "b.md", {"Three": "w"})
    root = await outline(indexes)
    assert [(entry.title, entry.size) for entry in walk(root)] == [
        ("", 4), ("a.md", 3), ("One", 2), ("1.1", 1), ("1.2", 1), ("Two", 1), ("b.md", 1), ("Three", 1),
    ]  # fmt: skip
    assert root.children[0].summary == "About a.md."
    passages = (await indexes.get("ds")).passages
    assert [passages[entry.position].text for entry in walk(root) if entry.position is not None] == ["x", "y", "z", "w"]


async def test_only_the_source_asked_for_is_in_it(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "a.md", {"One": "x"})
    await plant(shelf, "ds", "s.md", {"Due dates": "y"}, Source.LOGISTICS)
    assert labels(await outline(indexes, Source.LOGISTICS)) == ["s.md"]
    assert labels(await outline(indexes)) == ["s.md", "a.md"]


async def test_what_is_not_released_and_what_is_of_another_course_is_not_in_it(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "a.md", {"One": "x"})
    await plant(shelf, "other", "b.md", {"Two": "y"})
    await shelf.add("ds", "exam.md", ["z"], release_at=now() + timedelta(days=1))
    assert labels(await outline(indexes)) == ["a.md"]
    stored = await shelf.store.material.tree("ds")
    assert [(node.title, node.kind) for node in stored] == [("a.md", "document"), ("One", "block"), ("", "block")]
    assert [node.title for node in await shelf.store.material.inner_nodes("ds", None, now())] == ["a.md"]


async def test_a_course_without_material_has_an_empty_outline(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.store.courses.put("ds", {})
    root = await outline(indexes)
    assert (root.size, contents(root)) == (0, [])


async def test_blocks_without_a_tree_stand_below_their_document(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "loose.md", ["x", Block("y", "Heading")])
    (document,) = (await outline(indexes)).children
    assert (document.title, [child.title for child in document.children]) == ("loose.md", ["loose.md", "Heading"])


async def test_a_joined_solution_has_no_leaf_and_its_document_no_entry(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "hw1", [Block("Do it.", "Q1", "1")], source=Source.ASSIGNMENT, pair="hw1")
    await shelf.add(
        "ds", "hw1_sol", [Block("Done.", "Q1", "1")], source=Source.ASSIGNMENT, pair="hw1", is_solution=True
    )
    assert labels(await outline(indexes)) == ["hw1"]


async def test_five_thousand_siblings_are_grouped(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "big.md", {f"Part {n}": f"text {n}" for n in range(5_000)})
    root = await outline(indexes)
    assert max(len(entry.children) for entry in walk(root)) <= MAX_CHILDREN
    assert [entry.title for entry in walk(root) if entry.position is not None] == [f"Part {n}" for n in range(5_000)]
    assert next(entry for entry in walk(root) if entry.kind is NodeKind.GROUP and entry.title).title.startswith(
        "Part 0 –"
    )


async def test_the_contents_show_long_documents_in_parts_as_far_as_there_is_room(
    shelf: Shelf, indexes: Indexes
) -> None:
    await plant(shelf, "ds", "a.md", {f"Chapter {n}": {f"{n}.{m}": "x" for m in range(9)} for n in range(15)})
    await plant(shelf, "ds", "b.md", {f"Topic {n}": {f"{n}.{m}": "x" for m in range(8)} for n in range(18)})
    await plant(shelf, "ds", "short.md", {"One": "x"})
    shown = labels(await outline(indexes))
    assert len(shown) <= MAX_CONTENTS
    assert shown[-2:] == ["b.md › Topic 17", "short.md"]
    assert shown[0] == "a.md"


async def test_a_course_of_very_many_documents_has_contents_of_bounded_length(shelf: Shelf, indexes: Indexes) -> None:
    for n in range(70):
        await plant(shelf, "ds", f"{n:03}.md", {"One": "x"})
    listed = contents(await outline(indexes))
    assert len(listed) <= MAX_CONTENTS
    assert sum(one.entry.size for one in listed) == 70
    assert "000.md" in listed[0].text


def test_nothing_gives_an_empty_outline() -> None:
    assert build_outline([], [], {}).children == ()
