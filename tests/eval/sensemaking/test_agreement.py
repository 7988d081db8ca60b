"""Agreement of two Evaluators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from eval.sensemaking.agreement import compare_ratings as agreement
from eval.sensemaking.formats.submissions import ListKind, Rows, TaskSubmission

PATH = "a/b/c/ratings.json"


def ratings(*rows: tuple[float, ...]) -> TaskSubmission:
    return TaskSubmission(kind=ListKind.RATINGS, lists={PATH: rows})


def test_answers_fall_in_classes_by_the_difference_of_their_ratings() -> None:
    found = agreement(ratings((90,), (50,), (), (10,)), ratings((85,), (80,), (), (70,)))
    assert (found.answers, found.agreeing, found.close, found.contrary) == (3, 1 / 3, 1 / 3, 1 / 3)
    assert found.mean_difference == pytest.approx((5 - 30 - 60) / 3)


def test_a_triplet_counts_if_both_rank_it_alike() -> None:
    assert agreement(ratings((1,), (2,), (3,)), ratings((10,), (20,), (90,))).triplets == 1
    assert agreement(ratings((1,), (2,), (3,)), ratings((10,), (90,), (20,))).triplets == 0
    assert agreement(ratings((1,), (2,)), ratings((1,), (2,))).triplets is None


def test_ratings_of_other_answers_are_refused() -> None:
    other = TaskSubmission(kind=ListKind.RATINGS, lists={"x/ratings.json": ((1,),)})
    with pytest.raises(InvalidInput, match="no answer in common"):
        agreement(ratings((1,)), other)
    with pytest.raises(InvalidInput, match="different numbers of answers"):
        agreement(ratings((1,)), ratings((1, 2)))


def test_a_list_of_other_answers_is_named_and_the_others_are_compared() -> None:
    first, second = (
        TaskSubmission(kind=ListKind.RATINGS, lists={PATH: ((1,),), "a/ratings.json": rows, "b/ratings.json": ((1,),)})
        for rows in (((2,), (3,)), ((2,),))
    )
    third = second.model_copy(update={"lists": {**second.lists, "c/ratings.json": ((1,),)}})
    found = agreement(first, third)
    assert found.answers == 2
    assert found.problems == (
        "c/ratings.json: only one of the two submissions has it.",
        "a/ratings.json: the two submissions rate different numbers of answers. The list is not compared.",
    )


def test_a_row_that_one_of_the_two_lacks_is_not_compared() -> None:
    lacking = ratings((1,), (), (9,)).model_copy(update={"unusable": {PATH: frozenset({1})}})
    assert agreement(lacking, ratings((1,), (2, 3), (9,))).answers == 2


@given(st.lists(st.integers(0, 100), min_size=1, max_size=12))
def test_every_rating_agrees_with_itself(values: list[int]) -> None:
    rows: Rows = tuple((value,) for value in values)
    found = agreement(ratings(*rows), ratings(*rows))
    assert found.agreeing == 1
    assert found.triplets in (None, 1)
