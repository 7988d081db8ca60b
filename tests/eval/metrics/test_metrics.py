"""Metrics: their spelling, and the scores they give."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import InvalidInput, UnknownName
from core.score import Score
from core.types import Question
from eval.datasets.queries import MAX_RANK, Query
from eval.datasets.questions import FUNCTIONS, LabelledQuestion
from eval.metrics import METRICS, chosen_metrics, metric_named
from eval.metrics.base import Output
from eval.metrics.set_f1 import SetF1, set_f1
from eval.retrieval.report import default_metrics

LOCATIONS = [f"place {n}" for n in range(30)]
rankings = st.lists(st.sampled_from(LOCATIONS), unique=True, max_size=MAX_RANK)
relevant = st.frozensets(st.sampled_from(LOCATIONS), min_size=1, max_size=6)
cutoffs = st.integers(1, MAX_RANK)
sets = st.frozensets(st.sampled_from(FUNCTIONS))


def value(name: str, ranking: list[str], wanted: frozenset[str]) -> float:
    score = metric_named(name).score(Query("q", "?", "", wanted), Output(ranking, 1.0))
    assert score.value is not None
    return score.value


@given(rankings, relevant, cutoffs)
def test_recall_is_the_share_of_relevant_locations_among_the_first_k(
    ranking: list[str], wanted: frozenset[str], k: int
) -> None:
    assert value(f"recall@{k}", ranking, wanted) == pytest.approx(len(wanted & set(ranking[:k])) / len(wanted))


@given(rankings, relevant, cutoffs)
def test_mrr_is_the_inverse_of_the_first_relevant_rank(ranking: list[str], wanted: frozenset[str], k: int) -> None:
    ranks = [rank for rank, location in enumerate(ranking[:k], 1) if location in wanted]
    assert value(f"mrr@{k}", ranking, wanted) == pytest.approx(1 / ranks[0] if ranks else 0.0)


@given(rankings, relevant, cutoffs)
def test_every_measure_of_a_ranking_is_a_share_and_zero_where_nothing_is_found(
    ranking: list[str], wanted: frozenset[str], k: int
) -> None:
    for stem in ("recall", "mrr", "ndcg"):
        found = value(f"{stem}@{k}", ranking, wanted)
        assert 0 <= found <= 1
        assert (found == 0) == (not wanted & set(ranking[:k]))


@given(rankings, relevant, cutoffs)
def test_one_more_relevant_location_in_front_never_lowers_a_measure(
    ranking: list[str], wanted: frozenset[str], k: int
) -> None:
    best = min(wanted)
    better = [best, *(location for location in ranking if location != best)]
    for stem in ("recall", "mrr", "ndcg"):
        assert value(f"{stem}@{k}", better, wanted) >= value(f"{stem}@{k}", ranking, wanted) - 1e-9


@given(sets, sets)
def test_set_f1_is_symmetric_and_one_for_equal_sets_alone(a: frozenset[str], b: frozenset[str]) -> None:
    assert set_f1(a, b) == set_f1(b, a)
    assert 0 <= set_f1(a, b) <= 1
    assert (set_f1(a, b) == 1) == (a == b)
    assert (set_f1(a, b) == 0) == (a != b and not a & b)


def test_a_score_of_set_f1_explains_itself() -> None:
    item = LabelledQuestion(id="1", split="test", question=Question(body="?"), functions=FUNCTIONS[:1])
    score = SetF1().score(item, Output(list(FUNCTIONS[:2]), 1.0))
    assert score.value == pytest.approx(2 / 3)
    assert score.explanation == f"Called {', '.join(sorted(FUNCTIONS[:2]))}; wanted {FUNCTIONS[0]}."


def test_latency_is_that_of_the_output_and_unscored_for_files() -> None:
    metric = metric_named("latency_ms")
    query = Query("q", "?", "", frozenset("1"))
    assert metric.score(query, Output([], 12.5)) == Score(value=12.5)
    assert metric.score(query, Output([], None)).unscored


@pytest.mark.parametrize("fields", [{}, {"value": 1.0, "unscored": "no"}])
def test_a_score_has_a_value_or_a_reason_for_having_none(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="either a value or a reason"):
        Score(**fields)


@pytest.mark.parametrize("spelling", ["recall@5", "mrr@10", "ndcg@10", "set_f1", "latency_ms"])
def test_a_metric_is_written_one_way(spelling: str) -> None:
    assert metric_named(spelling).name == spelling


@pytest.mark.parametrize("spelling", ["recal@5", "recall", "set_f1@3", "R@5", ""])
def test_an_unknown_metric_is_answered_with_those_there_are(spelling: str) -> None:
    with pytest.raises(UnknownName, match=r"Allowed: recall@K, mrr@K, ndcg@K, set_f1, cited_first, .*latency_ms"):
        metric_named(spelling)


@pytest.mark.parametrize("spelling", ["recall@0", "recall@x", "recall@", "mrr@21"])
def test_a_parameter_out_of_range_is_named(spelling: str) -> None:
    with pytest.raises(InvalidInput, match=f"{spelling} cannot be used: K: "):
        metric_named(spelling)


def test_every_metric_says_what_it_measures() -> None:
    for metric in METRICS:
        assert metric.summary.endswith(".")
        assert metric.version
        assert metric.spelling().split("@")[0] == metric.stem


def test_metrics_are_added_to_the_defaults_each_once_and_latency_is_last() -> None:
    chosen = chosen_metrics("retrieval", default_metrics([1]), ["recall@10", "latency_ms", "recall@1", "mrr@5"])
    names = [metric.name for metric in chosen]
    assert names == ["recall@1", "mrr@10", "ndcg@10", "recall@10", "mrr@5", "latency_ms"]


def test_a_metric_of_another_kind_of_evaluation_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"recall@5 does not fit .* functions. These do: set_f1, latency_ms"):
        chosen_metrics("functions", [SetF1()], ["recall@5"])
