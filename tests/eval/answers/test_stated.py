"""What the confidence of a model is worth, fitted to answers whose rightness is known."""

from __future__ import annotations

from random import Random

from eval.answers.reliability import Forecast
from eval.answers.stated import fit_stated


def forecasts(n: int = 400, *, true: float = 0.5) -> list[Forecast]:
    """A model that states .6 to .98, of which the share `true` of what it states above one half is so."""
    random = Random(3)
    rows = []
    for number in range(n):
        stated = random.choice([0.6, 0.7, 0.8, 0.9, 0.98])
        right = random.random() < 0.5 + true * (stated - 0.5)
        rows.append(Forecast(f"m{number}", stated, right, is_answered=True))
    return rows


def test_one_who_is_too_sure_is_scaled_down_and_gains() -> None:
    rows = forecasts()
    fitted = fit_stated(rows, frozenset(row.item for row in rows))
    assert fitted
    assert fitted.known.slope < 0.8
    assert (fitted.brier_skill.mean or 0) > (fitted.brier_skill_before.mean or 0)


def test_nothing_is_posted_where_no_confidence_is_enough() -> None:
    fitted = fit_stated(forecasts(true=0.2), frozenset())
    assert fitted
    assert (fitted.known.post_from, fitted.posted_right) == (1.0, None)


def test_an_abstention_threshold_keeps_to_the_goals() -> None:
    rows = [Forecast(f"a{n}", 0.9, n % 10 != 0, is_answered=True) for n in range(100)]
    rows += [Forecast(f"u{n}", 0.3, False, is_answered=True) for n in range(40)]
    fitted = fit_stated(rows, frozenset(row.item for row in rows if row.item.startswith("a")))
    assert fitted
    assert (fitted.wrongly_abstained, fitted.wrongly_answered) == (0.0, 0.0)


def test_too_few_mistakes_tell_nothing() -> None:
    rows = [Forecast(f"m{n}", 0.9, n > 2, is_answered=True) for n in range(50)]
    assert fit_stated(rows, frozenset()) is None
