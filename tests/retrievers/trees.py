"""Documents with trees, models that know the way down, and a count of how often a model was waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Out, Task, YesNoTask
from core.store.tables import DocumentRow, DocumentState, NodeKind, NodeRow
from core.types import Source, Visibility
from retrievers.tasks import PickSections, ScoredItem, ScoredItems, ScoreParts
from tests.retrievers.shelf import Shelf

Branches = Mapping[str, "Branches | str"]
"""Titles with what stands below them; a string is the text of a block."""


async def plant(shelf: Shelf, course_id: str, name: str, tree: Branches, source: Source = Source.TEXTBOOK) -> None:
    """Store a document with this tree; the summary of a node says "About" and its title."""
    if await shelf.store.courses.find(course_id) is None:
        await shelf.store.courses.put(course_id, {})
    document = DocumentRow(
        id=f"{course_id}-{source}-{name}", course_id=course_id, source=source, name=name, title=name, sha256="",
        build="", state=DocumentState.INDEXED, visibility=Visibility.STUDENT,
    )  # fmt: skip
    rows: list[NodeRow] = []
    _grow(rows, document, name, tree, None, ())
    embeddings = [one for row in rows if row.kind is NodeKind.BLOCK for one in shelf.embeddings(row)]
    await shelf.store.material.replace(document, rows, embeddings, shelf.embedder.embedding)


def _grow(
    rows: list[NodeRow], document: DocumentRow, title: str, below: Branches | str, parent: str | None,
    path: tuple[str, ...],
) -> None:  # fmt: skip
    block = isinstance(below, str)
    row = NodeRow(
        id=f"{document.id}-{len(rows)}", course_id=document.course_id, document_id=document.id, parent_id=parent,
        ordinal=len(rows), kind=NodeKind.BLOCK if block else NodeKind.SECTION if parent else NodeKind.DOCUMENT,
        title=title, heading_path=list(path), text=below if isinstance(below, str) else "",
        summary="" if block else f"About {title}.", position={"start": 0, "end": 1},
    )  # fmt: skip
    rows.append(row)
    if not isinstance(below, str):
        for heading, part in below.items():
            _grow(rows, document, heading, part, row.id, (*path, heading))


def titles(task: PickSections | ScoreParts) -> list[str]:
    """What a task asks about: the first line of each item."""
    return [text.split("\n")[0] for text in task.texts]


def scored(scores: Mapping[str, float], otherwise: float = 0.0) -> Callable[[Any], ScoredItems]:
    """A line for `ScriptedLLM`: items by their titles, from a table of contents without the place before them."""

    def line(task: PickSections | ScoreParts) -> ScoredItems:
        names = [title.split(" › ")[-1] for title in titles(task)]
        return ScoredItems(
            items=tuple(ScoredItem(n=n, score=scores.get(name, otherwise)) for n, name in enumerate(names, 1))
        )

    return line


def guide(scores: Mapping[str, float], otherwise: float = 0.0) -> ScriptedLLM:
    """A model that scores every place by its title."""
    line = scored(scores, otherwise)
    return ScriptedLLM({PickSections: [line], ScoreParts: [line]})


def asked(llm: ScriptedLLM) -> Iterator[tuple[str, list[str]]]:
    """Every call: the place it was about ("" for the table of contents), and the titles shown."""
    for task in llm.tasks:
        assert isinstance(task, PickSections | ScoreParts)
        yield task.heading_path if isinstance(task, ScoreParts) else "", titles(task)


class Rounds:
    """A model in front of another that counts the rounds in which it is asked: calls under way at once are one."""

    model = "rounds"

    def __init__(self, llm: ScriptedLLM) -> None:
        self._llm = llm
        self._under_way = 0
        self.sizes: list[int] = []
        """Calls in each round."""

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        async with self:
            return await self._llm.run(task, sampling)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        async with self:
            return await self._llm.probability(task, sampling)

    async def __aenter__(self) -> None:
        if not self._under_way:
            self.sizes.append(0)
        self.sizes[-1] += 1
        self._under_way += 1
        await asyncio.sleep(0.02)

    async def __aexit__(self, *_error: object) -> None:
        self._under_way -= 1
