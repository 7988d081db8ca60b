"""Means with intervals, and paired comparisons."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.statistics import compare, mean_of, percentile

scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(scores)
def test_the_mean_lies_within_its_interval_and_that_within_the_values(values: list[float]) -> None:
    found = mean_of(values)
    low, mean, high = (value or 0.0 for value in (found.low, found.mean, found.high))
    assert 0 <= low <= mean + 1e-6
    assert mean - 1e-6 <= high <= 1


def test_nothing_scored_has_no_mean() -> None:
    assert mean_of([]).model_dump() == {"mean": None, "low": None, "high": None}


@pytest.mark.parametrize(("value", "low", "high"), [(1.0, 0.832, 1.0), (0.0, 0.0, 0.168)])
def test_twenty_out_of_twenty_is_not_certainty(value: float, low: float, high: float) -> None:
    found = mean_of([value] * 20)
    assert (found.mean, found.low, found.high) == (value, pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


def test_more_values_make_the_interval_narrower() -> None:
    widths = [found.high - found.low for n in (20, 200) if (found := mean_of([0.0, 1.0] * n)).high and found.low]
    assert widths[0] > 2 * widths[1]


def test_the_same_values_give_the_same_interval() -> None:
    assert mean_of([0.0, 1.0, 1.0, 0.5]) == mean_of([0.0, 1.0, 1.0, 0.5])


def test_about_95_of_100_intervals_hold_the_true_mean() -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        found = mean_of(list(rng.binomial(1, 0.8, 100).astype(float)))
        held += found.low is not None and found.high is not None and found.low <= 0.8 <= found.high
    assert 180 <= held <= 199


def test_a_clear_difference_is_significant() -> None:
    good = {str(n): 1.0 for n in range(40)}
    bad = {str(n): float(n % 2) for n in range(40)}
    (found,) = compare({"bad": bad, "good": good})
    assert (found.better, found.than, found.wins, found.losses) == ("good", "bad", 20, 0)
    assert found.difference == 0.5
    assert found.p < 0.001


def test_equal_actors_do_not_differ_significantly() -> None:
    same = {str(n): float(n % 2) for n in range(40)}
    (found,) = compare({"a": same, "b": same})
    assert (found.difference, found.p) == (0.0, 1.0)


def test_only_items_that_both_have_are_compared() -> None:
    (found,) = compare({"a": {"1": 1.0, "2": 1.0}, "b": {"2": 0.0, "3": 1.0}})
    assert (found.wins, found.losses) == (1, 0)
    (nothing,) = compare({"a": {"1": 1.0}, "b": {"2": 0.0}})
    assert (nothing.difference, nothing.p) == (0.0, 1.0)


def test_each_further_comparison_asks_for_more() -> None:
    a = {str(n): 1.0 for n in range(30)}
    b = {str(n): float(n >= 7) for n in range(30)}
    alone = compare({"a": a, "b": b})[0].p
    among = compare({"a": a, "b": b, "c": a})
    assert next(found.p for found in among if {found.better, found.than} == {"a", "b"}) >= 2 * alone


def test_percentiles() -> None:
    assert percentile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert percentile([], 0.5) is None


def test_with_a_baseline_only_its_pairs_are_tested_and_corrected_for() -> None:
    scores = {name: {str(n): float(n % (place + 2) == 0) for n in range(40)} for place, name in enumerate("abcd")}
    against, all_pairs = compare(scores, "b"), compare(scores)
    assert {frozenset((one.better, one.than)) for one in against} == {frozenset(("b", other)) for other in "acd"}
    same = {frozenset((one.better, one.than)): one.p for one in all_pairs}
    assert all(one.p <= same[frozenset((one.better, one.than))] for one in against)
    assert len(all_pairs) == 6
