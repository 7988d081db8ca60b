"""Sentences are aligned with long texts as with short ones, without looking at every token of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from safeguards.leaks.alignment import Positions
from safeguards.leaks.scattered import LIKELY, Sentences
from safeguards.leaks.work import Work

SENTENCE = st.lists(st.sampled_from("abcdefgh"), min_size=6, max_size=15)
TEXT = st.lists(st.sampled_from("abcdefghijkl"), max_size=80)


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, as textbooks have it."""
    row = [0] * (len(other) + 1)
    for token in one:
        above = list(row)
        for position, token_of_other in enumerate(other):
            row[position + 1] = max(above[position] + (token == token_of_other), row[position], above[position + 1])
    return row[-1]


def in_order(sentence: Sequence[str], text: Sequence[str]) -> int:
    return max(longest_common(sentence, text), longest_common(sentence[::-1], text))


@given(SENTENCE, TEXT, st.integers(1, 15))
def test_a_sentence_is_in_order_where_a_common_subsequence_is_long_enough(
    sentence: list[str], text: list[str], enough: int
) -> None:
    assert Positions(text).in_order(sentence, enough, Work(0)) == (in_order(sentence, text) >= enough)


@given(SENTENCE, TEXT, st.integers(4, 30))
def test_no_stretch_that_holds_enough_of_a_sentence_is_left_out(
    sentence: list[str], text: list[str], size: int
) -> None:
    enough, step = ceil(0.8 * len(sentence)), size // 4
    every = [text[start : start + size] for start in range(0, max(len(text) - size, 0) + step, step)]
    found = [list(window.tokens) for window in Positions(text).windows(sentence, size, enough, Work(0))]
    assert [one for one in every if Positions(one).count(sentence) >= enough and one not in found] == []
    assert [one for one in found if one not in every] == []


@given(st.lists(SENTENCE, max_size=8, unique_by=tuple), TEXT)
def test_sentences_are_likely_by_the_share_of_their_tokens_alone(sentences: list[list[str]], text: list[str]) -> None:
    likely = [one for one in sentences if sum(token in text for token in one) >= LIKELY * len(one)]
    assert list(Sentences(sentences).likely(Positions(text))) == likely
