"""AUC, Brier skill and bins of a confidence."""

from __future__ import annotations

import numpy as np
import pytest

from eval.answers.reliability import Forecast, reliability


def forecasts(*pairs: tuple[float, bool]) -> list[Forecast]:
    return [Forecast(str(number), confidence, right, True) for number, (confidence, right) in enumerate(pairs)]


def test_auc_and_brier_skill_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import brier_score_loss, roc_auc_score

    generator = np.random.default_rng(1)
    right = generator.random(80) < 0.6
    confidence = np.round(np.clip(0.3 * right + generator.random(80) * 0.7, 0, 1), 1)
    found = reliability(forecasts(*zip(confidence.tolist(), right.tolist(), strict=True)))
    reference = brier_score_loss(right, np.full(80, right.mean()))
    assert found.auc.mean == pytest.approx(roc_auc_score(right, confidence), abs=1e-6)
    assert found.brier_skill.mean == pytest.approx(1 - brier_score_loss(right, confidence) / reference, abs=1e-6)
    assert found.auc.low is not None
    assert found.auc.high is not None
    assert found.auc.low < found.auc.mean < found.auc.high


def test_without_both_outcomes_there_is_no_figure() -> None:
    found = reliability(forecasts((0.9, True), (0.1, True)))
    assert (found.auc.mean, found.brier_skill.mean) == (None, None)
    assert reliability([]).auc.mean is None


def test_abstentions_are_left_out_of_the_auc_of_answers() -> None:
    answers = forecasts((0.4, True), (0.6, False), (0.5, True))
    declined = [Forecast(f"d{number}", 0.0, False, False) for number in range(3)]
    found = reliability([*answers, *declined])
    assert (found.auc_answered.mean, found.auc.mean) == (0.0, 0.75)


def test_bins_hold_their_upper_end_only_at_one() -> None:
    found = reliability(forecasts((0.1, False), (0.15, True), (1.0, True), (0.95, True)))
    assert [(one.start, one.end, one.n, one.right.mean) for one in found.bins] == [
        (0.1, 0.2, 2, 0.5),
        (0.9, 1.0, 2, 1.0),
    ]
    assert found.bins[0].confidence == pytest.approx(0.125)


def test_seeds_of_one_message_do_not_narrow_the_interval() -> None:
    once = forecasts((0.2, False), (0.7, True), (0.6, False), (0.9, True), (0.4, True), (0.3, False))
    assert reliability([one for one in once for _ in range(5)]).auc == reliability(once).auc
