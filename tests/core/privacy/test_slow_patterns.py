"""A course's pattern of student ids that backtracks neither stops a question nor lets an id through."""

from __future__ import annotations

import pytest

from core.course import Course
from core.course.patterns import slow_patterns
from core.privacy.masks import SLOW_PATTERN, Detector, masked
from core.types import Message, Question

SLOW = r"(?:[\w.]+)+\d{6}"


def test_where_the_pattern_is_too_slow_every_word_that_may_be_an_id_is_hidden() -> None:
    question = Question(body="a" * 9000, thread=(Message(body="I am u1234567, in week 12, see 3a"),))
    hidden, masks = masked(question, Detector(student_id=SLOW))
    assert hidden.thread[0].body == "I am STUDENT_ID_1, in week 12, see 3a"
    assert masks.problems == (SLOW_PATTERN,)
    assert masks.restore(hidden.thread[0].body) == question.thread[0].body


def test_a_pattern_that_is_quick_hides_only_ids() -> None:
    hidden, masks = masked(Question(body="u1234567 and 12345"), Detector(student_id=r"\bu\d{7}\b"))
    assert (hidden.body, masks.problems) == ("STUDENT_ID_1 and 12345", ())


@pytest.mark.parametrize("pattern", [SLOW, r"[\w.]+\d{6}", r"(\d+)+z", r"([A-Z]\d*)*-\d"])
def test_a_course_with_a_slow_pattern_is_warned(pattern: str) -> None:
    (warning,) = slow_patterns(Course.model_validate({"id": "c", "privacy": {"student_id": pattern}}))
    assert warning.startswith("privacy: student_id")


@pytest.mark.parametrize("pattern", [r"\bA\d{8}\b", r"\b[A-Z]{2}\d{6}\b", r"\b\d{2}-\d{3}-\d{4}\b", r"\bu\d{7}\b"])
def test_a_quick_pattern_is_fine(pattern: str) -> None:
    assert not [*slow_patterns(Course.model_validate({"id": "c", "privacy": {"student_id": pattern}}))]
