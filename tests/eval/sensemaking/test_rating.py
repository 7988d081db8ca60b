"""The rating of answers without a model."""

from __future__ import annotations

import pytest

from core.llm.scripted import ScriptedLLM
from eval.sensemaking.evaluator import answers_to_rate
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission
from eval.sensemaking.rating import ComputedRating
from judging.teaching_points import TeachingPointsJudge
from retrievers.embedding.minilm import MiniLM
from tests.eval.sensemaking.texts import SUPPLY

RIGHT, WRONG = 60, 40
ANSWERS = (
    ("What is demand?", "Demand is the quantity of a good that buyers are willing to purchase at each price.", "right"),
    ("What is demand?", "Instant noodles are an example of an inferior good.", "elsewhere"),
    ("What is demand?", "Demand is the price at which sellers sell.", "wrong"),
    ("What is demand?", "purchase a quantity price good demand the at of buyers each willing", "salad"),
    ("What does rent control lead to?", "A shortage of housing", "right"),
    ("What does rent control lead to?", "Rent control leads to a shortage of housing.", "right"),
    ("What does rent control lead to?", "Elasticity was introduced by Alfred Marshall in 1890.", "elsewhere"),
    ("What does rent control lead to?", "Rent control leads to smaller American cars.", "wrong"),
    ("What does rent control lead to?", "housing to a control shortage rent leads of the supply", "salad"),
    ("What is a price ceiling?", "A legal maximum on the price of a good", "right"),
    ("What is a price ceiling?", "As a result, American drivers bought smaller cars.", "elsewhere"),
    ("What is a price ceiling?", "A price ceiling is a factor that shifts the demand curve for luxuries.", "wrong"),
    ("Who introduced elasticity?", "Alfred Marshall", "right"),
    ("Who introduced elasticity?", "Twelve green bottles.", "elsewhere"),
    ("What is demand?", "I don't know.", "elsewhere"),
)
DECLINING = (
    "I don't know.",
    "I don’t know the answer to this question.",
    "I don't know what demand is.",
    "No idea.",
    "Sorry, I do not know.",
    "Not sure about this one, sorry.",
    "The text does not say.",
    "I cannot tell from the text.",
    "banana",
    "?",
)
WORDS_OF_DECLINING = "Nobody can know or say for sure how the answer to a question or the idea of a text is found."


async def rating(question: str, answer: str, text: str = SUPPLY) -> float:
    section = Section(path="a/econ", text=text, questions={})
    given = TaskSubmission(kind=ListKind.ANSWERS, lists={"a/econ/answers.json": ((question, answer),)})
    (item,) = answers_to_rate(Sections(found=(section,)), given, MiniLM())[0].items
    score = await ComputedRating().judge(item, ScriptedLLM({}))
    assert score.value is not None
    return 100 * ComputedRating.scale.share(score.value)


@pytest.mark.parametrize(("question", "answer", "kind"), ANSWERS)
async def test_an_answer_is_rated_by_whether_it_answers_this_question(question: str, answer: str, kind: str) -> None:
    given = await rating(question, answer)
    assert given >= RIGHT if kind == "right" else given <= WRONG


@pytest.mark.parametrize("answer", DECLINING)
async def test_an_answer_that_says_nothing_of_the_section_is_rated_0(answer: str) -> None:
    assert await rating("What is demand?", answer) == 0
    assert await rating("What is demand?", answer, f"{SUPPLY}\n\n{WORDS_OF_DECLINING}") == 0


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many factors shift the demand curve?", "5"),
        ("Who introduced elasticity?", "Marshall"),
        ("When does demand not fall?", "When income rises, no price is known to matter."),
    ],
)
async def test_a_short_or_negated_answer_in_words_of_the_section_says_something(question: str, answer: str) -> None:
    assert await rating(question, answer) > await rating(question, "I don't know.")


async def test_half_of_an_answer_is_rated_between_right_and_wrong() -> None:
    whole = "The law of demand states that the quantity demanded falls when the price rises, other things being equal."
    half = "The law of demand states that the quantity demanded"
    asked = "What does the law of demand state?"
    wrong = await rating(asked, "Rent control leads to a shortage of housing.")
    assert wrong < await rating(asked, half) < await rating(asked, whole)


def test_the_version_differs_from_the_judges() -> None:
    assert ComputedRating().version != TeachingPointsJudge().version
