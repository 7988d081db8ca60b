"""What a stated confidence is worth."""

from __future__ import annotations

import pytest

from core.llm.stated import StatedConfidence


def test_without_knowledge_a_stated_confidence_is_a_probability() -> None:
    assert StatedConfidence().probability(0.7) == pytest.approx(0.7)


def test_one_who_is_too_sure_is_believed_less_in_the_same_order() -> None:
    known = StatedConfidence(intercept=-0.5, slope=0.6)
    values = [known.probability(stated) for stated in (0.0, 0.3, 0.6, 0.9, 1.0)]
    assert values == sorted(values)
    assert values[0] == 0
    assert values[3] < 0.9
    assert values[4] < 1
