from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.index.lexical import LexicalIndex, best

TEXTS = [["red", "green"], ["green", "blue"], ["blue"], ["green", "blue"]]


def test_only_texts_that_share_a_word_are_found_equal_ones_in_reading_order() -> None:
    positions = [position for position, _ in LexicalIndex(TEXTS).search(["blue"], 10)]
    assert positions == [2, 1, 3]


@pytest.mark.parametrize("texts", [[], [[]], [[], []]])
def test_an_index_without_words_finds_nothing(texts: list[list[str]]) -> None:
    assert LexicalIndex(texts).search(["blue"], 10) == []


@pytest.mark.parametrize("query", [[], ["unknown", "words"], ["blue green"]])
def test_a_query_without_known_words_finds_nothing(query: list[str]) -> None:
    assert LexicalIndex(TEXTS).search(query, 10) == []


def test_repeating_a_word_in_the_query_changes_nothing() -> None:
    index = LexicalIndex(TEXTS)
    assert index.search(["red", "blue", "blue"], 10) == index.search(["red", "blue"], 10)


def test_nothing_is_printed_while_building(capfd: pytest.CaptureFixture[str]) -> None:
    LexicalIndex(TEXTS).search(["blue"], 1)
    assert capfd.readouterr() == ("", "")


def test_noise_in_the_last_bits_does_not_decide_an_order() -> None:
    scores = np.array([0.5, 0.5 + 1e-7, 0.0, -1.0, 0.75], dtype=np.float32)
    assert [position for position, _ in best(scores, 10)] == [4, 0, 1]
    assert [position for position, _ in best(scores, 2)] == [4, 0]


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 300.0, 300.5, 1000.0]), max_size=12), st.integers(0, 12))
def test_the_best_are_the_first_of_all_in_order(scores: list[float], depth: int) -> None:
    everything = sorted((-score, position) for position, score in enumerate(scores) if score > 0)
    assert best(np.array(scores, dtype=np.float32), depth) == [
        (position, -less) for less, position in everything[:depth]
    ]


def test_words_that_stand_together_as_in_the_query_count_more() -> None:
    apart = ["confidence", "grows", "with", "each", "interval", "it"]
    together = ["it", "grows", "with", "each", "confidence", "interval"]
    found = LexicalIndex([apart, together]).search(["confidence", "interval"], 2)
    assert [position for position, _ in found] == [1, 0]


def test_a_pair_counts_half_as_much_as_a_word_that_is_as_rare() -> None:
    index = LexicalIndex([["a", "b"], ["c", "d"], ["e", "f"]])
    word, both = (index.search(query, 1)[0][1] for query in (["a"], ["a", "b"]))
    assert both == pytest.approx(2.5 * word, rel=1e-4)


def test_no_text_scores_more_than_the_bound_of_a_query() -> None:
    index = LexicalIndex(TEXTS)
    for query in (["red"], ["red", "blue"], ["green", "blue"], ["green", "unknown", "red", "red"]):
        assert 0 < index.search(query, 1)[0][1] <= index.bound(query) + 1e-5
    assert index.bound(["red"]) == pytest.approx(index.search(["red"], 1)[0][1], abs=1e-5)
    assert index.bound(["red", "blue"]) == pytest.approx(index.bound(["red"]) + index.bound(["blue"]))


@pytest.mark.parametrize("texts", [[], [[]], TEXTS])
def test_unknown_words_have_no_bound(texts: list[list[str]]) -> None:
    assert LexicalIndex(texts).bound(["unknown"]) == 0
