"""Names, addresses and numbers: what is found, and what only looks like them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.privacy.masks import Detector, Masks, masked, placeholders, without_personal
from core.privacy.names import KnownPerson
from core.privacy.spans import Kind
from core.types import Message, Question

PEOPLE = (
    KnownPerson(name="María García López", aliases=("Mari",), pseudonym="s1"),
    KnownPerson(name="Will Chen"),
    KnownPerson(name="Jean-Luc O'Neil"),
    KnownPerson(name="Thomas Bayes"),
)
DETECTOR = Detector.of(PEOPLE, r"\b[A-Z]\d{8}\b")


def found(text: str, kind: Kind) -> list[str]:
    return [text[one.start : one.end] for one in DETECTOR.find(text) if one.kind is kind]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("maria garcia asks", ["maria garcia"]),
        ("García López, María and M. López", ["García López, María", "M. López"]),
        ("MARI'S notes", ["MARI"]),
        ("Will this work? Ask Will. Will said yes.", ["Will", "Will"]),
        ("Jean\nLuc O'Neil is here", ["Jean\nLuc O'Neil"]),
        ("Bayes' theorem, by Thomas Bayes", ["Thomas Bayes"]),
        ("@Mari can you help? grid.maria.x = 1", ["Mari"]),
        ("marina, chenille, luceo", []),
    ],
)
def test_names_are_found_in_any_spelling_and_words_are_left(text: str, names: list[str]) -> None:
    assert found(text, Kind.NAME) == names


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("write to ada.b+x@cs.example.edu.", ["ada.b+x@cs.example.edu"]),
        ("ada [at] example [dot] edu", ["ada [at] example [dot] edu"]),
        ("X@W.shape, A@B.T, a@b.mean(), git@github.com:x/y, @app.route", []),
    ],
)
def test_addresses_are_told_from_products_of_matrices(text: str, addresses: list[str]) -> None:
    assert found(text, Kind.EMAIL) == addresses


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("+1 (415) 555-0132 or 415.555.0132", ["+1 (415) 555-0132", "415.555.0132"]),
        ("call 555-0132", ["555-0132"]),
        ("06 12 34 56 78 / 0151 23456789", ["06 12 34 56 78", "0151 23456789"]),
        ("2024-10-12, 12/10/2024, 3.14159265, 10.0.0.1, 4155550132, x=0.415 555 0132", []),
    ],
)
def test_phone_numbers_are_told_from_other_numbers(text: str, numbers: list[str]) -> None:
    assert found(text, Kind.PHONE) == numbers


def test_student_ids_are_what_the_course_says() -> None:
    assert found("I am A12345678, not AB2345678", Kind.STUDENT_ID) == ["A12345678"]
    assert Detector.of(PEOPLE).find("A12345678") == []


def test_all_spellings_of_a_person_get_one_placeholder_in_all_texts_of_a_question() -> None:
    question = Question(title="Mari asks", body="María García López here", thread=(Message(body="Hi maria, ask Will"),))
    hidden, masks = masked(question, DETECTOR)
    assert (hidden.title, hidden.body, hidden.thread[0].body) == (
        "PERSON_1 asks", "PERSON_1 here", "Hi PERSON_1, ask PERSON_2",
    )  # fmt: skip
    assert masks.restore("PERSON\\_1 and PERSON_2, not PERSON_3") == "Mari and Will, not PERSON_3"


def test_a_category_and_a_language_are_texts_of_a_question_too() -> None:
    hidden, _ = masked(Question(body="help", category="Mari", language="mari@b.org"), DETECTOR)
    assert "Mari" not in (hidden.category or "")
    assert "b.org" not in (hidden.language or "")


def test_a_placeholder_that_a_student_wrote_stays_theirs() -> None:
    hidden, masks = masked(Question(body="What is PERSON_1 in Mari's code?"), DETECTOR)
    assert hidden.body == "What is PERSON_1 in PERSON_2's code?"
    assert masks.restore(hidden.body) == "What is PERSON_1 in Mari's code?"


def test_a_question_without_personal_data_is_the_same_object() -> None:
    question = Question(body="What is the median?")
    assert masked(question, DETECTOR)[0] is question


def test_what_others_read_has_pseudonyms_in_place_of_names() -> None:
    text = without_personal("Mari and Will: a@example.edu, +1 415 555 0132, A12345678", DETECTOR)
    assert text == "s1 and [name]: [e-mail], [phone], [student id]"


PIECES = ["Mari", "maria", " ", "Will", ", ", "@", "a@example.edu", "+1 415 555 0132", "PERSON_1", "\n", "é"]
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@given(TEXTS)
def test_spans_are_in_order_and_do_not_overlap(text: str) -> None:
    spans = DETECTOR.find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))


WORDS = st.sampled_from(["Mari", "Will Chen", "a@example.edu", "PERSON_1", "x"])


@given(st.lists(WORDS).map(" | ".join))
def test_what_was_hidden_comes_back_where_each_has_one_spelling(text: str) -> None:
    masks = Masks(DETECTOR, frozenset(placeholders([text])))
    assert masks.restore(masks.hide(text)) == text
