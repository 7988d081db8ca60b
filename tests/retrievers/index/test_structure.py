"""Sections above the passages."""

from __future__ import annotations

from itertools import takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Passage, Position, Source, Visibility
from retrievers.index.semantic import NearChunks
from retrievers.index.structure import MAX_WEIGHT, Level, Words, level_above, section_weight, sections


def passage(*path: str, document: str = "book", source: Source = Source.TEXTBOOK) -> Passage:
    return Passage(
        block_id="/".join(path),
        document_id=document,
        document=document,
        title=document,
        source=source,
        visibility=Visibility.STUDENT,
        heading_path=path,
        text="",
        position=Position(start=0, end=0),
        score=0.0,
    )


def units(*passages: Passage) -> list[int] | None:
    found = sections(passages)
    return None if found is None else found.tolist()


def test_a_book_has_sections_and_introductions_that_stand_alone() -> None:
    book = [passage("1"), passage("1", "1.1", "a"), passage("1", "1.1", "b"), passage("1", "1.2"), passage("2", "2.1")]
    assert units(*book, passage("2")) == [0, 1, 1, 2, 3, 3]


def test_the_passage_before_the_first_sub_heading_belongs_to_its_section() -> None:
    assert units(passage("1", "1.1"), passage("1", "1.1", "a"), passage("1", "1.2"), passage("2")) == [0, 0, 1, 2]


def test_the_way_a_book_is_cut_into_files_changes_no_section() -> None:
    paths = [(str(c), f"{c}.{s}", part) for c in (1, 2) for s in (1, 2, 3) for part in "ab"[: c + s % 2]]
    whole = units(*(passage(*path) for path in paths))
    cut = units(*(passage(*path, document=path[1]) for path in paths))
    assert whole == cut is not None


def test_the_parts_of_a_long_passage_are_no_section() -> None:
    cut = [passage("1", "1.1"), passage("1", "1.1"), passage("1", "1.2"), passage("2", "2.1"), passage("2", "2.2")]
    assert units(*cut) == [0, 0, 0, 1, 1]
    assert units(passage(document="a"), passage(document="a"), passage(document="b")) == [0, 0, 1]


def test_files_of_one_passage_and_files_of_threads_have_nothing_above_them() -> None:
    assert units(*(passage("Title", document=str(n)) for n in range(3))) is None
    assert units(*(passage(str(n), document="threads", source=Source.QA) for n in range(3))) is None


def test_a_single_section_tells_nothing_apart() -> None:
    assert units(passage("1"), passage("2")) is None


paths = st.lists(st.text("ab", min_size=1, max_size=1), max_size=5)


@given(st.lists(st.tuples(st.sampled_from("xy"), paths), max_size=20))
def test_a_section_is_all_that_stands_below_one_heading(material: list[tuple[str, list[str]]]) -> None:
    found = units(*(passage(*path, document=document) for document, path in material)) or []
    positions = [(document, *path) for document, path in material]
    assert sorted(set(found)) == list(range(len(set(found))))
    for number in set(found):
        inside = [position for position, unit in zip(positions, found, strict=True) if unit == number]
        shared = takewhile(lambda heads: len(set(heads)) == 1, zip(*inside, strict=False))
        heading = tuple(heads[0] for heads in shared)
        assert len(inside) == 1 or inside == [position for position in positions if position[: len(heading)] == heading]


def test_two_near_chunks_speak_louder_for_a_unit_than_one() -> None:
    vectors = np.eye(4, dtype=np.float32)
    words = [Words(headings=(), text=())] * 4
    level = Level(np.array([0, 0, 1, 1]), words, vectors, np.arange(4))
    chunks = NearChunks(np.array([0, 1, 2]), np.array([0.8, 0.6, 0.8], dtype=np.float32))
    first, second = level.semantic(np.zeros(4, dtype=np.float32), chunks)
    assert (round(float(first), 3), round(float(second), 3)) == (0.7, 0.8)


@pytest.mark.parametrize(
    ("similarities", "nearness"), [([0.6, 0.6, 0.2], 0.6), ([0.6, 0.4, -0.1], 0.5), ([0.6, -0.1], 0.3), ([0.6], 0.6)]
)
def test_what_speaks_for_a_unit_is_the_mean_of_its_two_nearest_chunks(
    similarities: list[float], nearness: float
) -> None:
    count = len(similarities)
    words = [Words(headings=(), text=())] * (count + 1)
    level = Level(np.array([0] * count + [1]), words, np.eye(count + 1, dtype=np.float32), np.arange(count + 1))
    chunks = NearChunks(np.arange(count), np.array(similarities, dtype=np.float32))
    assert level.semantic(np.zeros(count + 1, dtype=np.float32), chunks).tolist() == pytest.approx([nearness, 0])


def test_a_units_words_are_its_headings_once_and_all_its_texts() -> None:
    words = [Words((("mean",),), ("sum",)), Words((("mean",),), ("count",)), Words((("median",),), ("middle",))]
    level = Level(np.array([0, 0, 1]), words, np.zeros((0, 4), dtype=np.float32), np.zeros(0, dtype=np.int64))
    scores = level.lexical(["count"])
    assert scores[0] > 0 == scores[1]
    assert not level.lexical(["unknown"]).any()


def test_sections_weigh_most_where_there_are_many_of_many_passages() -> None:
    book, notes, alone = section_weight(104, 634), section_weight(59, 148), section_weight(140, 148)
    assert 2 > book > notes > alone > 0


@pytest.mark.parametrize(("count", "passages"), [(1, 20), (3, 23), (7, 1000), (20, 20)])
def test_a_handful_of_sections_and_sections_of_one_passage_weigh_nothing(count: int, passages: int) -> None:
    assert section_weight(count, passages) == 0


@given(st.integers(1, 2000), st.integers(1, 2000))
def test_the_weight_of_sections_is_bounded(count: int, more: int) -> None:
    assert 0 <= section_weight(count, count + more) <= MAX_WEIGHT


def test_there_is_no_level_above_a_few_pages() -> None:
    pages = [passage("1", str(n), document=document) for document in ("syllabus", "policies") for n in range(5)]
    words = [Words(headings=(), text=("word",))] * len(pages)
    assert level_above(pages, words, np.eye(len(pages), dtype=np.float32), np.arange(len(pages))) is None
    book = [passage(str(c), f"{c}.{s}", part) for c in range(5) for s in range(2) for part in "ab"]
    level = level_above(book, words * 2, np.eye(len(book), dtype=np.float32), np.arange(len(book)))
    assert level is not None
    assert level.weight == section_weight(10, 20)
