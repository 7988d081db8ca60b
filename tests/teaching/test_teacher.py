"""The Teacher that needs no model."""

from __future__ import annotations

import pytest

from core.errors import InvalidInput
from retrievers.embedding.minilm import MiniLM
from teaching.teacher import candidates, is_english, teach
from tests.fakes import FakeEmbedder

TEXT = """The cell is the smallest unit of life that can live by itself. It was found by Hooke.

There are three types of muscle: smooth, cardiac, and skeletal. The thorax has three pairs of legs.

Mammals differ from birds in their teeth and in their skin. The heart consists of two atria, two ventricles, and valves.

The itch mite causes scabies in people of all ages. The mite is a small relative of the spiders.
"""


def test_questions_come_from_all_parts_of_the_text_with_the_sentences_that_answer_them() -> None:
    asked = teach(TEXT, 4, FakeEmbedder())
    assert [one.sentence for one in asked] == sorted(one.sentence for one in asked)
    assert [one.sentence // 2 for one in asked] == [0, 1, 2, 3]
    assert len({one.kind for one in asked}) == 4
    for one in asked:
        assert one.answer in " ".join(TEXT.split())


def test_the_same_text_has_the_same_questions() -> None:
    assert teach(TEXT, 3, FakeEmbedder()) == teach(TEXT, 3, FakeEmbedder())


def test_a_short_text_has_fewer_questions_than_wanted() -> None:
    assert len(teach(TEXT, 50, FakeEmbedder())) == len(list(candidates(TEXT)))
    assert teach("The dogs of the town ran to the hills.", 3, FakeEmbedder()) == ()


def test_no_question_is_asked_twice_in_other_words() -> None:
    text = "The heart is a muscle of the chest. The heart is the pump of the blood. The human heart is a hollow organ."
    assert [one.question for one in teach(text, 3, MiniLM())] == ["What is the heart?"]


def test_names_keep_their_capital_and_common_words_lose_it() -> None:
    text = "Darwin is a name that the students know well. The idea of Darwin is old. Fossils are remains that are old."
    assert [one.question for one in candidates(text)] == ["What is Darwin?", "What are fossils?"]


def test_a_heading_that_ran_into_its_sentence_gives_no_question() -> None:
    assert not list(candidates("Functions of the organ Excretion is the removal of waste. The excretion is slow."))


def test_texts_that_are_not_english_are_refused_with_what_to_do() -> None:
    for text in ("Die Zelle ist die Einheit des Lebens.", "Вид є групою тварин.", "细胞是生命的单位。"):
        assert not is_english(text)
        with pytest.raises(InvalidInput, match=r"text\.en\.txt"):
            teach(text, 3, FakeEmbedder())
