"""Differences of texts, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.text.changes import ChangeKind, changes, extent, missing

TEXTS = st.text(alphabet="ab \n.[1]", max_size=60)


@given(TEXTS, TEXTS)
def test_without_its_additions_a_merged_text_is_the_one_before(before: str, after: str) -> None:
    merged = changes(before, after)
    assert "".join(one.text for one in merged if one.kind is not ChangeKind.ADDED) == before
    assert "".join(one.text for one in merged if one.kind is not ChangeKind.DELETED) == after


@given(TEXTS, TEXTS)
def test_shares_are_shares_and_only_equal_words_have_no_distance(before: str, after: str) -> None:
    found = extent(before, after)
    assert 0 <= found.share_deleted <= 1
    assert 0 <= found.share_added <= 1
    assert (found.edit_distance == 0) == (before.split() == after.split())


def test_neighbouring_changes_are_one_phrase() -> None:
    kinds = [(one.kind.value, one.text) for one in changes("Divide by ten now.", "Multiply with ten now.")]
    assert kinds == [("deleted", "Divide by"), ("added", "Multiply with"), ("kept", " ten now.")]


def test_sentences_that_are_gone_are_named_as_often_as_they_are_gone() -> None:
    text = "One is right [1]. Yes. Two is long. Yes. Yes."
    assert missing(text, "One is right [1]. Yes. Yes. Three helps.") == ["Yes.", "Two is long."]
    assert missing(text, text) == []
