"""Retrieval along the structure."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from core.types import Source
from retrievers.hybrid import Hybrid
from retrievers.index.course_index import CourseIndex, MatchScores
from retrievers.index.indexes import Indexes
from retrievers.index.lexical import Ranking
from retrievers.index.structure import UnitScores
from retrievers.names import Directory
from retrievers.passages import to_passage
from retrievers.tree import Tree
from tests.retrievers.shelf import Block, Shelf

Sections = tuple[list[int], list[float]]
"""Of each passage its section, and the score of each section, as a share of the best."""


class Found:
    """An index whose evidence is already there, and where nothing has a name."""

    names = Directory(())
    passages = ()

    def __init__(self, passages: list[float], sections: Sections | None = None, weight: float = 1.75) -> None:
        found = sections and UnitScores(np.array(sections[0]), weight, *[np.array(sections[1], dtype=np.float32)] * 2)
        scores = np.array(passages, dtype=np.float32)
        self.evidence_found = MatchScores(scores, max(passages), scores, found)

    async def evidence(self, query: str, depth: int, *, sections: bool) -> MatchScores:
        return self.evidence_found


async def ranked(passages: list[float], sections: Sections | None = None, weight: float = 1.75) -> Ranking:
    return await Tree(cast(CourseIndex, Found(passages, sections, weight)), top_k=5).rank("query")


async def test_a_section_whose_parts_agree_lifts_its_passages_over_one_that_stands_alone() -> None:
    assert [position for position, _ in await ranked([1.0, 0.8, 0.5])] == [0, 1, 2]
    lifted = await ranked([1.0, 0.8, 0.5], ([0, 1, 1], [0.5, 1.0]))
    assert [position for position, _ in lifted] == [1, 2, 0]


async def test_a_section_counts_by_its_weight() -> None:
    (_, score), *_ = await ranked([3.0], ([0], [1.0]), 1.25)
    assert score == pytest.approx(1 + 1.25)


async def test_a_section_alone_brings_up_no_passage() -> None:
    assert [position for position, _ in await ranked([0.2, 0.0], ([0, 1], [0.1, 1.0]))] == [0]


async def test_scores_below_zero_count_as_nothing() -> None:
    found = UnitScores(np.array([0, 1]), 1.0, np.zeros(2, np.float32), np.array([-0.5, -1.0], np.float32))
    index = Found([1.0, 1.0])
    index.evidence_found = replace(index.evidence_found, sections=found)
    scores = dict(await Tree(cast(CourseIndex, index), top_k=5).rank("query"))
    assert scores == {0: pytest.approx(1), 1: pytest.approx(1)}


async def test_a_query_without_known_words_is_answered_by_meaning() -> None:
    index = Found([0.3, 0.6], ([0, 1], [0.0, 0.0]))
    index.evidence_found = replace(index.evidence_found, lexical=np.zeros(2, np.float32), bound=0.0)
    assert [position for position, _ in await Tree(cast(CourseIndex, index), top_k=5).rank("query")] == [1, 0]


async def test_without_sections_and_names_the_ranking_is_that_of_hybrid() -> None:
    index = cast(CourseIndex, Found([0.3, 0.9, 0.6]))
    assert await Tree(index, top_k=5).rank("query") == await Hybrid(index, top_k=5).rank("query")


async def test_a_thread_about_the_question_that_is_named_gives_way_to_one_that_answers(
    shelf: Shelf, indexes: Indexes
) -> None:
    threads = [
        Block("Use a left join, so that every customer keeps a row.", "customers without orders disappear"),
        Block("The plot needs axis labels.", "Homework 3, question 2b: labels"),
    ]
    await shelf.add("ds", "threads.jsonl", threads, source=Source.QA)
    asked = "after the join in hw3 2b customers without orders disappear, how do I keep every row"
    (best, *_) = await Tree(await indexes.get("ds", Source.QA), top_k=2).search(asked)
    assert best.heading_path == ("customers without orders disappear",)


async def test_the_words_of_a_passage_decide_within_a_section(shelf: Shelf, indexes: Indexes) -> None:
    sampling = [Block("Each member has a known chance.", "Chance"), Block("Whoever passes by is asked.", "Convenience")]
    await shelf.add("ds", "sampling", sampling)
    await shelf.add("ds", "tables", [Block("Select rows by a condition.", "Rows"), Block("Join tables.", "Joins")])
    found = await Tree(await indexes.get("ds", Source.TEXTBOOK), top_k=1).aretrieve("known chance of a member")
    assert to_passage(found[0]).heading_path == ("Chance",)


async def test_the_place_that_a_query_names_comes_first_even_where_nothing_else_speaks_for_it(
    shelf: Shelf, indexes: Indexes
) -> None:
    for number in (1, 2):
        blocks = [Block(f"Compute quantity {n} of homework.", f"({n})", label=f"1{n}") for n in "abcd"]
        await shelf.add("ds", f"hw{number}.md", blocks, source=Source.ASSIGNMENT)
    await shelf.add("ds", "hw3.md", [Block("Plot it.", "(c)", label="1c")], source=Source.ASSIGNMENT)
    index = await indexes.get("ds", Source.ASSIGNMENT)
    (best, *_) = await Tree(index, top_k=3).search("compute the quantity of homework 3 question 1c")
    assert (best.document, best.label) == ("hw3.md", "1c")
    (best, *_) = await Tree(index, top_k=3).search("hw2 1(d)")
    assert (best.document, best.label) == ("hw2.md", "1d")
