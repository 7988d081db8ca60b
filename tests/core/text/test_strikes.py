"""Sentences taken out of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import units
from core.text.strikes import without, without_struck

SENTENCES = st.lists(st.sampled_from(["One.", "Two.", "- Three.", "> Four.", "第五句。", "`six`"]), max_size=8)
TEXTS = st.tuples(SENTENCES, st.sampled_from([" ", "\n", "\n\n"])).map(lambda parts: parts[1].join(parts[0]))


@pytest.mark.parametrize(
    ("text", "struck", "left"),
    [
        ("One is right [1]. Two is long. Three helps.", [2], "One is right [1]. Three helps."),
        ("One. Two.\n\nThree. Four.", [2], "One.\n\nThree. Four."),
        ("One.\n\nTwo.\n\nThree.", [2], "One.\n\nThree."),
        ("- One.\n- Two.\n- Three.", [2], "- One.\n- Three."),
        ("- One.\n- Two.\n\nThree.", [2], "- One.\n\nThree."),
        ("- One. Two.\n- Three.", [1], "- Two.\n- Three."),
        ("- One. Two.\n- Three.", [1, 2], "- Three."),
        ("> One. Two.", [1], "> Two."),
        ("第一句。第二句。第三句。", [2], "第一句。第三句。"),
        ("Yes. No. Yes.", [3], "Yes. No."),
        ("One. Two.", [1, 2, 3, 99], ""),
    ],
)
def test_paragraphs_and_lists_stay_what_they_were(text: str, struck: list[int], left: str) -> None:
    assert without(text, struck) == left


@pytest.mark.parametrize(
    ("draft", "struck", "edited", "left"),
    [
        ("Yes. No. Yes.", [3], "Yes. No. Yes. Bye.", "Yes. No. Bye."),
        ("He said yes. One. yes.", [3], "He said yes. One, two.", "He said yes. One, two."),
        ("One. Two. Three.", [3], "Three. One. Two. Bye.", "One. Two. Bye."),
        ("One. Two.", [2], "One. Two, as I said.", "One. Two, as I said."),
    ],
)
def test_an_edited_text_loses_what_was_struck_and_nothing_else(
    draft: str, struck: list[int], edited: str, left: str
) -> None:
    assert without_struck(draft, struck, edited) == left


@given(TEXTS, st.sets(st.integers(1, 9)))
def test_no_other_sentence_goes(text: str, struck: set[int]) -> None:
    words = "".join(unit.text for number, unit in enumerate(units(text), start=1) if number not in struck)
    left = without(text, struck)
    assert [one for one in left.split() if one not in ("-", ">")] == [
        one for one in words.split() if one not in ("-", ">")
    ]
    assert without_struck(text, struck, text) == left
