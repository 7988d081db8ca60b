"""Short answers without a model."""

from __future__ import annotations

import pytest

from core.types import Passage
from retrievers.embedding.minilm import MiniLM
from teaching.excerpts import excerpt, is_heading, sentences_of
from tests.pipelines.runs import passage

DEMAND = """Supply and demand

Demand is the quantity of a good that buyers are willing to purchase at each price. The law of demand states that the
quantity demanded falls when the price rises, other things being equal.

Instant noodles are an example of an inferior good. Rent control leads to a shortage of housing."""


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


def found(text: str = DEMAND) -> list[Passage]:
    return [passage("p", text)]


def test_a_heading_is_no_answer(embedder: MiniLM) -> None:
    given = excerpt(found(), "What is demand?", embedder, 40)
    assert given.startswith("Demand is the quantity of a good")
    assert "Supply and demand" not in given


def test_an_answer_begins_with_the_nearest_sentence_and_has_whole_ones_up_to_its_words(embedder: MiniLM) -> None:
    given = excerpt(found(), "What does rent control lead to?", embedder, 20)
    assert given == "Rent control leads to a shortage of housing. Instant noodles are an example of an inferior good."
    assert excerpt(found(), "What does rent control lead to?", embedder, 5).startswith("Rent control leads")


def test_a_question_about_another_section_has_no_answer(embedder: MiniLM) -> None:
    assert excerpt(found(), "How many chambers does the human heart have?", embedder, 40) == ""
    assert excerpt([], "What is demand?", embedder, 40) == ""


def test_passages_are_read_in_the_order_of_the_text_without_markup() -> None:
    later = passage("b", "Second **one**.")
    later = later.model_copy(update={"position": later.position.model_copy(update={"start": 9_000, "end": 9_010})})
    assert sentences_of([later, passage("a", "# Title\n\n> First one. Second one.")]) == ["First one.", "Second one."]


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [("Supply and demand", True), ("## Cells divide.", True), ("Cells divide.", False), ("- membrane", False)],
)
def test_a_heading_is_a_short_line_that_is_no_sentence(paragraph: str, expected: bool) -> None:
    assert is_heading(paragraph) is expected
