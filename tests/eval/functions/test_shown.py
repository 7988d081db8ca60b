"""What is read out of a report of function selection."""

from __future__ import annotations

import pytest

from eval.datasets.questions import RaterAgreement, in_words
from eval.functions.shown import best, differences, heading, raters
from eval.statistics import Comparison
from eval.tables import share, usd
from tests.eval.reports import ASSIGNMENT, LOGISTICS, QA, figures, report


def compared(better: str, than: str, p: float) -> Comparison:
    return Comparison(better=better, than=than, difference=0.25, wins=9, losses=2, p=p)


def test_each_pipeline_is_seen_from_the_baseline() -> None:
    found = differences(
        report(
            {name: figures(0.5) for name in ("edison", "fc", "worse")},
            comparisons=(compared("fc", "edison", 0.01), compared("edison", "worse", 0.2)),
        )
    )
    assert (found["fc"].text, found["fc"].wins, found["fc"].losses) == ("+.250*", 9, 2)
    assert (found["worse"].text, found["worse"].wins, found["worse"].losses) == ("−.250", 2, 9)
    assert "edison" not in found


def test_the_best_is_the_first_of_equals_and_never_one_that_failed() -> None:
    assert best(report({"a": figures(None), "b": figures(0.5), "c": figures(0.5)})) == "b"


def test_the_heading_says_what_was_measured_on_what() -> None:
    assert heading(report({"fc": figures(0.5)})) == "ds (test split): 20 questions, 2 seeds, model offline"
    assert "1 seed," in heading(report({"fc": figures(0.5)}, seeds=1))


def test_raters_are_summed_up_where_there_are_two() -> None:
    assert raters(report({"fc": figures(0.5)}).agreement) == (
        "Raters: same set for .90 of 20 questions; lowest kappa .70 (textbook)."
    )
    assert raters(RaterAgreement(n=3, same_set=1.0, kappa={QA: None})) == "Raters: same set for 1.00 of 3 questions."
    assert raters(RaterAgreement(n=0)) is None


def test_sets_of_functions_are_named_for_people() -> None:
    assert (in_words([ASSIGNMENT, LOGISTICS]), in_words([])) == ("assignment + logistics", "nothing")


@pytest.mark.parametrize(("value", "text"), [(0.5824, ".582"), (1.0, "1.000"), (0.0, ".000"), (None, "–")])
def test_a_share_has_no_leading_zero(value: float | None, text: str) -> None:
    assert share(value) == text


@pytest.mark.parametrize(("cost", "text"), [(0.0, "free"), (0.00123, "$0.0012"), (None, "?")])
def test_a_cost_says_when_it_is_free_or_unknown(cost: float | None, text: str) -> None:
    assert usd(cost) == text
