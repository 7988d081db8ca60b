"""Measures of agreement, against the libraries that have them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from eval.agreement import kappa


@pytest.mark.parametrize(("power", "weights"), [(1, "linear"), (2, "quadratic")])
def test_weighted_kappas_are_those_of_scikit_learn(power: int, weights: str) -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        one, other = (np.append(random.integers(0, 6, size=30), score).astype(float) for score in (0, 5))
        expected = cohen_kappa_score(one.astype(int), other.astype(int), labels=range(6), weights=weights)
        assert kappa(one, other, power) == pytest.approx(expected)


def test_a_kappa_of_one_score_alone_is_not_defined() -> None:
    assert np.isnan(kappa(np.full(4, 2.0), np.full(4, 2.0), 1))
