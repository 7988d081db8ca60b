"""Checks of labelled answers against the material."""

from __future__ import annotations

import pytest

from eval.datasets.answers import AnswerLabel, Expectation, MessageKind
from eval.datasets.label_checks import label_problems
from tests.pipelines.runs import passage

BOOK = passage("b1", "Loops stop before the end.", heading_path=("Doc", "Loops"))


@pytest.mark.parametrize(("kind", "most"), [(MessageKind.CONCEPT, 3), (MessageKind.DEBUGGING, 8)])
def test_a_reference_about_an_error_may_be_longer(kind: MessageKind, most: int) -> None:
    def problems(sentences: int) -> list[str]:
        text = "Look at the end. " * sentences
        label = AnswerLabel(
            id="a1", kind=kind, expects=Expectation.ANSWER, passages=("d.md > Doc > Loops",), reference=text
        )
        return list(label_problems([label], [BOOK]))

    assert problems(most) == []
    assert problems(most + 1) == [f"a1: the reference has {most + 1} sentences; write at most {most}."]
