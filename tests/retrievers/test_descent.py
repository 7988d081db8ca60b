"""Branches and their scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.tables import NodeKind
from retrievers.descent import FLOOR, Branch, best, choose
from retrievers.index.outline import ListedEntry, OutlineNode
from retrievers.tasks import ScoredItem


def leaf(title: str, position: int = 0) -> OutlineNode:
    return OutlineNode.leaf(title, "", position)


def section(title: str, *children: OutlineNode) -> OutlineNode:
    return OutlineNode.above(NodeKind.SECTION, title, "", children)


def items(*pairs: tuple[int, float]) -> list[ScoredItem]:
    return [ScoredItem(n=n, score=score) for n, score in pairs]


PARTS = [ListedEntry((), leaf(title, position)) for position, title in enumerate("abc")]
ROOT = Branch(ListedEntry((), section("root", leaf("a"), leaf("b"), leaf("c"))), path=("root",))


def test_numbers_that_no_part_has_are_passed_over_and_scores_clamped() -> None:
    scores = [
        branch.score for branch in choose(ROOT, PARTS, items((0, 1), (4, 1), (-1, 1), (1, 7), (2, -3), (10**30, 1)))
    ]
    assert scores == pytest.approx([1.0, FLOOR, FLOOR])


def test_of_a_repeated_number_the_first_score_counts() -> None:
    assert choose(ROOT, PARTS, items((1, 0.4), (1, 0.9)))[0].score == pytest.approx(0.4)


def test_a_score_that_is_no_number_is_passed_over() -> None:
    branches = choose(ROOT, PARTS, items((1, float("nan")), (2, float("inf")), (3, 0.5)))
    assert [branch.score for branch in branches] == pytest.approx([FLOOR, FLOOR, 0.5])


def test_where_nothing_valid_is_left_all_parts_stay_at_the_floor_and_none_is_followed() -> None:
    parts = [*PARTS, ListedEntry((), section("d", leaf("d1"), leaf("d2")))]
    branches = choose(ROOT, parts, items((9, 1.0)))
    assert [branch.score for branch in branches] == pytest.approx([FLOOR] * 4)
    assert best(branches, 3, ()) == []


def test_deep_and_shallow_passages_compete_by_their_average_step() -> None:
    shallow = ROOT.scored(PARTS[0], 0.6)
    deep = ROOT
    for _ in range(4):
        deep = deep.scored(PARTS[1], 0.8)
    assert deep.score == pytest.approx(0.8)
    assert deep.score > shallow.score
    assert ROOT.scored(PARTS[0], 0.9).scored(PARTS[1], 0.1).score < shallow.score


def test_where_there_is_one_way_it_is_taken_without_a_score() -> None:
    chain = section("one", section("two", leaf("three", 7)))
    branch = ROOT.scored(ListedEntry((), chain), 0.5)
    assert (branch.entry.position, branch.score) == (7, pytest.approx(0.5))
    assert branch.path == ("root", "one (0.50)", "two", "three")


def test_a_section_with_the_title_of_its_document_is_named_once() -> None:
    document = section("Syllabus", section("Syllabus", leaf("Exams"), leaf("Labs")))
    branch = Branch(ListedEntry((), document), path=("Syllabus",)).straight()
    (exams, _) = branch.listed.parts()
    assert (branch.path, exams.label) == (("Syllabus",), "Syllabus › Exams")


def test_the_beam_takes_the_best_inner_places_in_reading_order() -> None:
    parts = [ListedEntry((), section(title, leaf("x"), leaf("y"))) for title in "abcd"]
    branches = choose(ROOT, [*parts, *PARTS], items((1, 0.5), (2, 0.9), (3, 0.5), (4, 0.0), (5, 1.0)))
    assert [branch.entry.title for branch in best(branches, 2, ())] == ["b", "a"]
    assert [branch.entry.title for branch in best(branches, 9, ())] == ["b", "a", "c"]


def test_of_equal_branches_the_one_that_other_evidence_is_for_goes_first() -> None:
    parts = [ListedEntry((), section(title, leaf("x", 2 * n), leaf("y", 2 * n + 1))) for n, title in enumerate("abc")]
    branches = choose(ROOT, parts, items((1, 0.5), (2, 0.5), (3, 0.5)))
    assert [branch.entry.title for branch in best(branches, 3, (9, 5, 2))] == ["c", "b", "a"]


@given(st.lists(st.tuples(st.integers(), st.floats())))
def test_whatever_a_model_sends_every_part_gets_one_score_within_bounds(pairs: list[tuple[int, float]]) -> None:
    branches = choose(ROOT, PARTS, items(*pairs))
    assert [branch.entry.title for branch in branches] == ["a", "b", "c"]
    assert all(FLOOR <= round(branch.score, 9) <= 1 for branch in branches)
