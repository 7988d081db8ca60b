from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.embedding.chunks import HEADING_TOKENS, QUERY_WINDOWS, ChunkSizes, chunk_block, query_windows
from tests.fakes import FakeEmbedder

COUNTER = FakeEmbedder()
QUERY_TOKENS = 254
LONG = " ".join(f"Sentence number {n} says something." for n in range(100))


def test_a_short_block_is_one_chunk_under_its_headings() -> None:
    (chunk,) = chunk_block("Book", ["Chapter 1", "Means"], "  The mean is a sum.\n", COUNTER)
    assert chunk.text == "Book > Chapter 1 > Means\nThe mean is a sum."
    assert (chunk.start, chunk.end) == (2, 20)


@pytest.mark.parametrize("text", ["", " \n\n\t "])
def test_a_block_without_text_gives_its_headings(text: str) -> None:
    (chunk,) = chunk_block("Book", ["Chapter 1"], text, COUNTER)
    assert (chunk.start, chunk.end, chunk.text) == (0, 0, "Book > Chapter 1")


def test_a_repeated_heading_is_said_once() -> None:
    assert chunk_block("Means", ["Means", "", "Means"], "x", COUNTER)[0].text == "Means\nx"


def test_of_a_very_long_heading_path_the_last_headings_stay() -> None:
    path = [f"heading {n} " + "word " * 10 for n in range(20)]
    heading = chunk_block("Book", path, "x", COUNTER)[0].text.partition("\n")[0]
    assert COUNTER.count_tokens(heading) <= HEADING_TOKENS
    assert "heading 19" in heading


def test_chunks_break_between_sentences_and_overlap() -> None:
    chunks = chunk_block("", [], LONG, COUNTER, ChunkSizes(50, 12))
    assert len(chunks) > 5
    for one, following in pairwise(chunks):
        assert one.text.startswith("Sentence")
        assert one.text.endswith(".")
        assert one.start < following.start < one.end < following.end


def test_without_overlap_no_character_is_in_two_chunks() -> None:
    chunks = chunk_block("", [], LONG, COUNTER, ChunkSizes(50, 0))
    assert all(one.end <= following.start for one, following in pairwise(chunks))


@given(
    st.text(alphabet=st.sampled_from("ab.!? \n。中,_\"'\ud800")) | st.text(),
    st.integers(2, 40),
    st.integers(0, 20),
)
def test_chunks_cover_the_text_in_order_and_within_the_limit(text: str, limit: int, overlap: int) -> None:
    chunks = chunk_block("", [], text, COUNTER, ChunkSizes(limit, overlap))
    covered: set[int] = set()
    for chunk in chunks:
        assert 0 <= chunk.start <= chunk.end <= len(text)
        assert chunk.text == text[chunk.start : chunk.end].strip()
        covered.update(range(chunk.start, chunk.end))
    assert all(n in covered or c.isspace() for n, c in enumerate(text))
    starts = [chunk.start for chunk in chunks]
    assert starts == sorted(set(starts))


@given(st.lists(st.sampled_from(["one", "two.", "three\n", "4"]), min_size=1, max_size=200), st.integers(3, 30))
def test_no_chunk_of_words_is_longer_than_the_limit(words: list[str], limit: int) -> None:
    for chunk in chunk_block("", [], " ".join(words), COUNTER, ChunkSizes(limit, limit // 3)):
        assert COUNTER.count_tokens(chunk.text) <= limit


@pytest.mark.parametrize("unit", ["word ", "Sentence. ", "\n", "x", ".", ".\"'", "中", "a=1;", " "])
@pytest.mark.timeout(30)
def test_a_megabyte_takes_no_more_than_linear_time(unit: str) -> None:
    assert chunk_block("Book", ["Chapter"], unit * (10**6 // len(unit)), COUNTER)


@pytest.mark.parametrize("query", ["  what is a mean? ", f"{'What is a mean? ' * 40}"])
def test_a_usual_query_is_read_as_it_is(query: str) -> None:
    assert query_windows(query, COUNTER, QUERY_TOKENS) == [query]


def test_a_long_query_is_read_in_parts_up_to_a_limit() -> None:
    parts = query_windows(LONG * 20, COUNTER, QUERY_TOKENS)
    assert len(parts) == QUERY_WINDOWS
    assert all(COUNTER.count_tokens(part) <= QUERY_TOKENS for part in parts)
    assert query_windows(" " * 10_000, COUNTER, QUERY_TOKENS) == [""]


@pytest.mark.parametrize(("max_tokens", "sizes"), [(254, (200, 48, 48)), (8_192, (200, 48, 48)), (62, (50, 12, 12))])
def test_chunks_are_smaller_for_a_model_that_reads_little(max_tokens: int, sizes: tuple[int, int, int]) -> None:
    assert ChunkSizes.within(max_tokens) == ChunkSizes(*sizes)
