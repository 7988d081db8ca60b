"""The confidence is fitted to labelled answers."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from eval.fitting.confidence import ConfidenceThreshold, chosen, fit, to_file
from eval.fitting.confidence_cases import Case
from offline.confidence import FEATURES
from tests.offline.test_confidence import PLAIN


def cases(each: int = 40, courses: tuple[str, ...] = ("a", "b")) -> list[Case]:
    """Messages that are right the more often the more words match; one retriever of two knows less of the router."""
    random = np.random.default_rng(0)
    found = []
    for course in courses:
        for n in range(each):
            words = float(random.random())
            right = bool(random.random() < words)
            known = replace(PLAIN, words=words)
            for actor, evidence in (("tree", known), ("hybrid", replace(known, nothing=None))):
                found.append(Case(course, str(n), actor, evidence, right, right or n % 2 == 0))
    return found


def test_what_is_fitted_holds_for_messages_and_courses_that_were_not_seen() -> None:
    report, calibration = fit(cases(80))
    assert report.n == 160
    assert report.messages == {"a": 80, "b": 80}
    assert (report.folds.auc.mean or 0) > 0.7
    assert (report.folds.brier_skill.mean or 0) > 0.1
    assert set(report.across) == {"a", "b"}
    assert calibration.probability(replace(PLAIN, words=0.9)) > 0.7
    assert calibration.probability(replace(PLAIN, words=0.1)) < 0.3
    assert calibration.unknown == {"nothing": 0.1}


def test_of_one_course_there_is_no_other_to_fit_to() -> None:
    assert fit(cases(courses=("a",)))[0].across == {}


def test_an_answer_without_anything_to_quote_is_never_given() -> None:
    nothing = [replace(case, message=f"{case.message} empty", evidence=None) for case in cases(20)]
    report, _ = fit([*cases(20), *nothing])
    assert report.thresholds[0].wrongly_abstained == pytest.approx(0.5)


def test_the_file_holds_what_was_fitted_and_from_what() -> None:
    _, calibration = fit(cases())
    content = json.loads(json.dumps(to_file(calibration, {"split": "dev"})))
    assert content["learned_from"] == {"split": "dev"}
    assert set(content["weights"]) == set(FEATURES)
    assert content["abstain_below"] == calibration.abstain_below


def test_the_threshold_misses_neither_goal_by_much() -> None:
    def at(confidence: float, abstained: float, answered: float) -> ConfidenceThreshold:
        return ConfidenceThreshold(confidence=confidence, wrongly_abstained=abstained, wrongly_answered=answered)

    assert chosen([at(0.2, 0.05, 0.5), at(0.4, 0.12, 0.22), at(0.6, 0.3, 0.1)]) == 0.4
    assert chosen([at(0.2, 0.05, 0.3), at(0.4, 0.08, 0.15), at(0.6, 0.3, 0.1)]) == 0.4


def test_too_few_messages_are_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="at least 10 are needed: label more messages"):
        fit(cases(3))


@pytest.mark.slow
def test_graded_answers_tell_how_well_an_answer_that_can_be_sent_is_known() -> None:
    assert fit(cases())[0].graded is None
    random = np.random.default_rng(1)
    graded = [
        replace(case, grade=2 if case.is_right and random.random() < 0.9 else 0) if n % 2 == 0 else case
        for n, case in enumerate(cases(80))
    ]
    report = fit(graded)[0].graded
    assert report
    assert report.n == 160
    assert sum(report.grades.values()) == report.n
    assert (report.confidence.auc.mean or 0) > 0.6
    assert (report.own.auc.mean or 0) > 0.6


def test_a_few_grades_tell_nothing() -> None:
    few = [replace(case, grade=2 if n < 5 else None) for n, case in enumerate(cases())]
    assert fit(few)[0].graded is None
