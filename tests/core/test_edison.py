"""Edison's rules."""

from __future__ import annotations

from typing import Any

import pytest

from core.edison import FUNCTION_NAMES, EdisonRules, When
from core.types import Question

QA, TEXTBOOK, ASSIGNMENT, LOGISTICS = FUNCTION_NAMES


def when(**conditions: Any) -> When:
    return When.model_validate(conditions)


@pytest.mark.parametrize(
    ("conditions", "body", "category", "holds"),
    [
        ({"any": ["due", "slip day"]}, "How many Slip Days?", None, False),
        ({"any": ["due", "slip day"]}, "One SLIP DAY left", None, True),
        ({"any": ["c++"]}, "is C++ allowed", None, True),
        ({"all": ["hint", "question 3"]}, "a hint for question 3, please", None, True),
        ({"all": ["hint", "question 3"]}, "a hint for question 30, please", None, False),
        ({"pattern": r"\b\d[a-h]\b"}, "stuck on 2B", None, True),
        ({"category": "Homework *"}, "x", "homework 12", True),
        ({"category": ["Exams"]}, "x", None, False),
        ({"category": ["Exams"], "any": ["late"]}, "late?", "Exams", True),
        ({"category": ["Exams"], "any": ["late"]}, "late?", "General", False),
    ],
)
def test_every_condition_that_is_given_must_hold(
    conditions: dict[str, Any], body: str, category: str | None, holds: bool
) -> None:
    assert when(**conditions).holds(Question(body=body, category=category)) is holds


def test_functions_of_all_rules_that_hold_are_called_once_each_and_in_order() -> None:
    edison = EdisonRules.model_validate(
        {
            "rules": [
                {"when": {"any": ["error"]}, "call": [QA]},
                {"when": {"any": ["deadline"]}, "call": [LOGISTICS, QA]},
                {"when": {"any": ["nothing"]}, "call": []},
            ],
            "default": [TEXTBOOK],
        }
    )
    assert edison.functions_for(Question(body="an error before the deadline")).functions == (QA, LOGISTICS)
    assert edison.functions_for(Question(body="what is a mean")).functions == (TEXTBOOK,)
    assert edison.functions_for(Question(body="nothing but an error")).functions == ()


def test_a_course_without_rules_calls_every_function() -> None:
    assert EdisonRules().functions_for(Question(body="x")) == (FUNCTION_NAMES, ())


def test_a_pattern_without_end_is_cut_off_and_its_rule_named() -> None:
    edison = EdisonRules.model_validate(
        {
            "rules": [
                {"when": {"pattern": r"(\w|\w\w)+\d"}, "call": [QA]},
                {"when": {"any": ["mean"]}, "call": [TEXTBOOK]},
            ]
        }
    )
    ruling = edison.functions_for(Question(body="mean " + "w" * 80 + "!"))
    assert ruling.functions == (TEXTBOOK,)
    assert [problem[:6] for problem in ruling.problems] == ["Rule 1"]
