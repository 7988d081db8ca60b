from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.tokens import STOP_WORDS, tokenize


@pytest.mark.parametrize("spelling", ["1a", "1A", "Q1a", "q1(a)", "1 (a)", "1.a", "1(A)"])
def test_a_question_number_has_one_spelling(spelling: str) -> None:
    assert "1a" in tokenize(f"In {spelling}, what is asked?")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("3.2", ["3.2"]),
        ("Lab 03", ["lab", "3"]),
        ("hw03", ["hw3", "hw", "3"]),
        ("0.05 of 100", ["0.05", "100"]),
        ("pd.read_csv", ["pd.read_csv", "pd", "read_csv", "read", "csv"]),
        ("hw03.pdf", ["hw3.pdf", "hw3", "hw", "3", "pdf"]),
        ("__init__", ["init"]),
        ("____", []),
        ("C, R and C++ or C#", ["c", "r", "and", "c++", "or", "c#"]),
        ("p-value", ["p", "valu"]),
        ("Part A.", ["part", "a"]),
        ("A dog", ["dog"]),
        ("The student's running", ["student", "run"]),
        ("Don’t", ["don"]),
        ("naïve ﬁle x₂", ["naiv", "file", "x2", "x", "2"]),
        ("什么是方差", ["什么", "么是", "是方", "方差"]),
        ("方", ["方"]),
        ("用pandas画图", ["用", "panda", "画图"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("データ", ["デー", "ータ"]),
        ("for x in range(10): if not x", ["for", "x", "in", "rang", "10", "if", "not", "x"]),
    ],
)
def test_what_carries_meaning_is_kept(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_forms_of_a_word_are_one() -> None:
    assert len({tuple(tokenize(word)) for word in ("compute", "computes", "computing", "Computed")}) == 1


@given(st.text())
def test_any_text_gives_tokens_without_white_space_and_none_empty(text: str) -> None:
    assert all(token and not any(c.isspace() for c in token) for token in tokenize(text))


@given(st.text())
def test_the_same_text_gives_the_same_tokens(text: str) -> None:
    assert tokenize(text) == tokenize(text)


@given(st.from_regex(r"[a-z]{1,12}(_[a-z]{1,12}){1,3}", fullmatch=True))
def test_an_identifier_is_kept_whole_and_in_parts(name: str) -> None:
    tokens = tokenize(f"call {name}()")
    assert name in tokens
    for part in name.split("_"):
        assert part in STOP_WORDS or tokenize(part)[0] in tokens


@given(st.integers(1, 999), st.characters(min_codepoint=ord("a"), max_codepoint=ord("z")))
def test_every_question_number_is_found_in_a_sentence(number: int, letter: str) -> None:
    assert f"{number}{letter}" in tokenize(f"For question {number}{letter}: why?")


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=30))
def test_every_two_neighbouring_characters_of_cjk_are_a_token(text: str) -> None:
    assert tokenize(text) == [text[n : n + 2] for n in range(len(text) - 1)]


@given(st.lists(st.sampled_from(["mean", "hw3", "x_y", "1a", "3.2", "数据", "R"]), max_size=8))
def test_letter_case_does_not_matter(words: list[str]) -> None:
    assert tokenize(" ".join(words)) == tokenize(" ".join(words).upper())


@pytest.mark.parametrize("unit", ["a.", "1.", "q1(", "A ", "_", "x_1.", "'s", "中", "0", "\u0301", "A\n\n\n"])
@pytest.mark.timeout(30)
def test_hostile_text_takes_no_more_than_linear_time(unit: str) -> None:
    assert isinstance(tokenize(unit * (500_000 // len(unit))), list)


@pytest.mark.parametrize(
    ("text", "operators"),
    [
        ("What does `//` do?", ["//"]),
        ("use x == y or x <= y (never `=>`)", ["==", "<=", "=>"]),
        ("the pipe %>% and :=", ["%>%", ":="]),
        ("**bold** words -- and https://example.org ... | --- | ***", []),
    ],
)
def test_operators_that_stand_alone_are_words(text: str, operators: list[str]) -> None:
    assert [token for token in tokenize(text) if not any(map(str.isalnum, token))] == operators
