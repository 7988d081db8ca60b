"""Texts cut into sentences, in the ways that their uses need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import prose_sentences, rough_sentences, sentence_spans, stream_pieces, units

TEXT = st.text(st.sampled_from("aA. !?。:`~\n[1]\"'"), max_size=80)


def test_units_keep_references_and_code_blocks_whole() -> None:
    found = units("It is so. [1] Then this.\n```py\nx. Y\n```\n- a line")
    assert [(unit.text, unit.is_code) for unit in found] == [
        ("It is so. [1] ", False), ("Then this.\n", False), ("```py\nx. Y\n```\n", True), ("- a line", False),
    ]  # fmt: skip


def test_prose_is_cut_only_where_the_next_sentence_begins_with_a_capital() -> None:
    assert prose_sentences('See e.g. this one. Then that! "Why?" 这样。那样') == [
        "See e.g. this one.", "Then that!", '"Why?" 这样。', "那样",
    ]  # fmt: skip


def test_rough_sentences_end_at_every_full_stop_and_line() -> None:
    assert rough_sentences("See e.g. this one.\n\nThen that") == ["See e.g.", "this one.", "Then that"]


def test_spans_include_closing_quotes() -> None:
    text = 'He said "no." Then left.\nNext'
    assert [text[start:end] for start, end in sentence_spans(text) if text[start:end].strip()] == [
        'He said "no."', " Then left.", "Next",
    ]  # fmt: skip


def test_a_streamed_piece_ends_with_a_sentence_a_colon_or_a_line() -> None:
    assert stream_pieces("So: this is it. And\nthat") == ["So: ", "this is it. ", "And\n", "that"]


@given(TEXT)
def test_nothing_is_lost(text: str) -> None:
    assert "".join(unit.text for unit in units(text)) == text
    assert "".join(text[start:end] for start, end in sentence_spans(text)) == text
    assert "".join(stream_pieces(text)) == text


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("2. Run the tests. Then stop.", ["2. Run the tests. ", "Then stop."]),
        ("Do this: 1. Read it. 2. Run it.", ["Do this: 1. Read it. ", "2. Run it."]),
        ("## 2. Setup\n- 1. Run. Go", ["## 2. Setup\n", "- 1. Run. ", "Go"]),
        ("a) First. Second.\nB. Third", ["a) First. ", "Second.\n", "B. Third"]),
        (
            "See e.g. Python and Fig. 2 by Dr. Smith. It is so.",
            ["See e.g. Python and Fig. 2 by Dr. Smith. ", "It is so."],
        ),
        (
            "Use `a. B` or [c. D](http://x.example). Then stop.",
            ["Use `a. B` or [c. D](http://x.example). ", "Then stop."],
        ),
        ("It is due on February 19. Slip days apply.", ["It is due on February 19. ", "Slip days apply."]),
    ],
)
def test_a_point_that_ends_no_sentence_keeps_it_together(text: str, sentences: list[str]) -> None:
    assert [unit.text for unit in units(text)] == sentences
