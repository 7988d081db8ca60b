"""Every citation is checked against its passage."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import DroppedQuote, Position, Status
from safeguards.citations import PARTLY_STAFF_ONLY, STAFF_ONLY, verified
from safeguards.quotes import find_quote
from tests.pipelines.runs import passage, written


def test_a_quote_is_found_whatever_its_case_spacing_and_marks() -> None:
    text = "Homework is due **Thursdays** at\n23:59 on `Gradeboard`."
    assert find_quote("homework is due thursdays at 23:59", text) == "Homework is due **Thursdays** at\n23:59"
    assert find_quote("due on Fridays", text) is None
    assert find_quote("…", text) is None


def test_references_are_numbered_in_order_of_appearance() -> None:
    answer = verified(
        written("B first [3], then A [1, 3].", (1, "alpha one"), (3, "gamma three")),
        [passage("a", "alpha one"), passage("b", "beta two"), passage("c", "gamma three")],
    )
    assert answer.markdown == "B first [1], then A [2][1]."
    assert [(c.number, c.block_id, c.verified) for c in answer.citations] == [(1, "c", True), (2, "a", True)]


def test_references_that_follow_each_other_are_references() -> None:
    answer = verified(written("So it is [3][9][1]."), [passage("a"), passage("b"), passage("c")])
    assert answer.markdown == "So it is [1][2]."
    assert [citation.block_id for citation in answer.citations] == ["c", "a"]


def test_a_reference_to_no_passage_is_removed() -> None:
    answer = verified(written("So it is [9], see [1]."), [passage("a")])
    assert answer.markdown == "So it is, see [1]."
    assert len(answer.citations) == 1


def test_a_reference_with_a_number_beyond_all_bounds_is_removed() -> None:
    answer = verified(written(f"So it is [{'9' * 5000}], see [1, {'1' * 5000}]."), [passage("a")])
    assert answer.markdown == "So it is, see [1]."


def test_a_quote_that_is_not_there_counts_as_unverified_and_is_not_shown() -> None:
    (citation,) = verified(written("Yes [1].", (1, "invented words")), [passage("a", "real words")]).citations
    assert (citation.verified, citation.quote) == (False, "")


@pytest.mark.parametrize(
    ("quote", "reason", "said"),
    [
        ("", DroppedQuote.NOT_GIVEN, None),
        ("real", DroppedQuote.TOO_SHORT, "too short"),
        ("other plain words", DroppedQuote.IN_ANOTHER_PASSAGE, "another passage"),
        ("invented words", DroppedQuote.NOT_FOUND, "word for word"),
        ("words of the solution", DroppedQuote.NOT_FOUND, "word for word"),
    ],
)
def test_a_dropped_quote_says_why(quote: str, reason: DroppedQuote, said: str | None) -> None:
    solution = passage("s", "the words of the solution", visibility="staff")
    shown = [passage("a", "real words"), passage("b", "other plain words"), solution]
    answer = verified(written("Yes [1].", (1, quote)), shown)
    assert answer.citations[0].dropped is reason
    assert [said in warning and "[1]" in warning for warning in answer.warnings] == ([True] if said else [])


def test_a_verified_citation_has_no_reason_and_no_warning_though_another_quote_of_it_is_wrong() -> None:
    answer = verified(written("Yes [1].", (1, "invented words"), (1, "real words")), [passage("a", "real words")])
    assert (answer.citations[0].dropped, answer.citations[0].quote, answer.warnings) == (None, "real words", ())


def test_a_citation_of_a_transcript_names_the_time() -> None:
    said = passage("a", "so it ends").model_copy(
        update={"position": Position(start=0, end=9, start_second=754.6, end_second=800.0)}
    )
    (citation,) = verified(written("Yes [1].", (1, "so it ends")), [said]).citations
    assert (citation.time, citation.page, citation.pinpoint) == ("12:34", None, ", at 12:34")


def test_brackets_in_code_are_code() -> None:
    text = "Use `a[1]` or\n```python\nx = df.iloc [1]\nnp.array([1, 2])\n```\nas shown [1]; arr[1] is prose."
    answer = verified(written(text), [passage("a")])
    assert answer.markdown == text
    assert len(answer.citations) == 1


def test_marks_of_code_within_a_line_hide_no_references() -> None:
    answer = verified(written("It is ~~~ about 3 [2]; see [9]."), [passage("a"), passage("b")])
    assert answer.markdown == "It is ~~~ about 3 [1]; see."


def test_brackets_in_spans_of_several_backticks_are_code() -> None:
    answer = verified(written("Write ``x`[1]`` or [1]."), [passage("a")])
    assert answer.markdown == "Write ``x`[1]`` or [1]."
    assert verified(written("Write ``x`[1]``."), [passage("a")]).citations == ()


STAFF = passage("s", "the answer is forty-two", visibility="staff", document="hw5_sol.md", title="Homework 5")


def test_staff_only_passages_are_not_cited_and_the_references_left_are_renumbered() -> None:
    shown = [STAFF, passage("a"), passage("b")]
    answer = verified(written("So [1]. It is [3][1], or [2, 1].", (1, "answer is forty-two")), shown)
    assert answer.markdown == "So. It is [1], or [2]."
    assert [(c.number, c.block_id) for c in answer.citations] == [(1, "b"), (2, "a")]
    assert answer.warnings == (PARTLY_STAFF_ONLY,)


@pytest.mark.parametrize("text", ["It is forty [1].", "It is forty."])
def test_an_answer_that_rests_on_staff_only_passages_alone_says_so_without_naming_them(text: str) -> None:
    answer = verified(written(text), [STAFF])
    assert (answer.citations, answer.warnings) == ((), (STAFF_ONLY,))
    assert "forty." in answer.markdown
    assert "Homework" not in STAFF_ONLY


def test_an_answer_without_references_from_mixed_passages_is_not_said_to_rest_on_any() -> None:
    assert verified(written("It is forty."), [STAFF, passage("a")]).warnings == ()


def test_an_abstention_cites_no_staff_only_passage_and_rests_on_nothing() -> None:
    answer = verified(written("See [1].", status="abstained"), [STAFF])
    assert (answer.markdown, answer.citations, answer.warnings) == ("See.", (), ())


def test_a_quote_is_whole_words_and_more_than_one() -> None:
    assert find_quote("Due on day 1", "Due on day 15") is None
    assert find_quote("is", "this is it") is None


@given(
    st.text(max_size=60), st.lists(st.from_regex(r"\w+", fullmatch=True), min_size=2, max_size=9), st.text(max_size=60)
)
def test_words_in_a_row_are_found_wherever_they_stand(before: str, words: list[str], after: str) -> None:
    found = find_quote(" ".join(words), f"{before} {'**, '.join(words)}. {after}")
    assert found is not None
    assert [word.casefold() for word in re.findall(r"\w+", found)] == [word.casefold() for word in words]


def test_a_markdown_link_is_not_a_reference() -> None:
    answer = verified(written("See [1](http://x.example)."), [passage("a")])
    assert answer.markdown == "See [1](http://x.example)."
    assert answer.citations == ()


def test_confidence_stays_between_nought_and_one() -> None:
    assert verified(written("x", confidence=7.0), []).confidence == 0.07
    assert verified(written("x", confidence=-1.0), []).status is Status.ANSWERED


@given(
    st.text(max_size=80), st.lists(st.tuples(st.integers(-3, 9), st.text(max_size=20)), max_size=5), st.integers(0, 4)
)
def test_any_answer_ends_with_references_that_exist(text: str, quotes: list[tuple[int, str]], count: int) -> None:
    answer = verified(written(text, *quotes), [passage(str(n)) for n in range(count)])
    assert [citation.number for citation in answer.citations] == list(range(1, len(answer.citations) + 1))
    assert len(answer.citations) <= count


def test_a_passage_may_carry_several_quotes() -> None:
    (citation,) = verified(
        written("A [1]. B [1].", (1, "alpha one"), (1, "invented words"), (1, "gamma three"), (1, "alpha one")),
        [passage("a", "alpha one, and gamma three")],
    ).citations
    assert citation.quotes == ("alpha one", "gamma three")
