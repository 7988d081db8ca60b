"""Which course functions a question needs, told without a language model."""

from __future__ import annotations

import json
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.edison import FUNCTION_NAMES
from core.types import Question, Source
from offline.router import (
    MAX_SENTENCES,
    NOTHING,
    WEIGHTS,
    WHERE_NAMED,
    Needs,
    Router,
    input_reader,
    sentences,
    shipped_weights,
)
from posts.intents import CUES
from tests.fakes import Nearest

likely_needs = st.builds(
    Needs, st.floats(0, 1), st.dictionaries(st.sampled_from(FUNCTION_NAMES), st.floats(0, 1), max_size=4)
)


async def needs(body: str, *near: Source, category: str = "") -> Needs:
    router = Router(Nearest(*near), shipped_weights())
    return await router.needs("c", Question(body=body), FUNCTION_NAMES, category)


async def test_every_function_gets_a_probability() -> None:
    found = await needs("when is hw3 due?", Source.LOGISTICS)
    assert found.functions.keys() == set(FUNCTION_NAMES)
    assert all(0 <= one <= 1 for one in (found.nothing, *found.functions.values()))
    assert max(found.functions, key=found.functions.__getitem__) == "logistics_retrieval"


async def test_what_the_course_has_on_it_raises_a_functions_probability() -> None:
    body = "I wonder about the sampling distribution"
    far, near = await needs(body, Source.QA), await needs(body, Source.TEXTBOOK)
    assert near.functions["textbook_retrieval"] > far.functions["textbook_retrieval"]


async def test_the_category_counts_as_further_words_of_the_question() -> None:
    plain, guided = await needs("what now"), await needs("what now", category="Exams and deadlines")
    assert guided.functions["logistics_retrieval"] > plain.functions["logistics_retrieval"]


async def test_a_question_of_an_assignment_that_is_named_calls_for_the_assignments() -> None:
    course = Nearest(Source.LOGISTICS, named={Source.ASSIGNMENT: 1.0})
    found = await Router(course, shipped_weights()).needs("c", Question(body="hw4 q3"), FUNCTION_NAMES)
    assert found.functions["assignment_retrieval"] >= WHERE_NAMED
    assert "assignment_retrieval" in found.best_set()


async def test_a_function_that_was_never_learned_is_left_out() -> None:
    router = Router(Nearest(), shipped_weights())
    found = await router.needs("c", Question(body="?"), ["qa_retrieval", "wiki_retrieval"])
    assert found.functions.keys() == {"qa_retrieval"}


async def test_functions_without_material_are_left_out_unless_there_is_none_at_all() -> None:
    course = Nearest(Source.TEXTBOOK)
    course.kinds = frozenset({Source.TEXTBOOK, Source.QA})
    found = await Router(course, shipped_weights()).needs("c", Question(body="what is a mean"), FUNCTION_NAMES)
    assert found.functions.keys() == {"textbook_retrieval", "qa_retrieval"}
    course.kinds = frozenset()
    found = await Router(course, shipped_weights()).needs("c", Question(body="what is a mean"), FUNCTION_NAMES)
    assert found.functions.keys() == set(FUNCTION_NAMES)


async def test_the_shipped_weights_fit_what_the_router_sees_and_say_what_they_were_learned_from() -> None:
    content, weights = json.loads(WEIGHTS.read_text(encoding="utf-8")), shipped_weights()
    seen = await input_reader(Nearest())("c", Question(body="x"), "")
    assert content["learned_from"]["split"] == "dev"
    assert weights.keys() == {*FUNCTION_NAMES, NOTHING}
    assert all(one.features.keys() == seen.features.keys() for one in weights.values())
    assert {len(one.vector) for one in weights.values()} == {384}


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("until when can I submit", "deadline"),
        ("is a cheatsheet allowed in the midterm", "rules"),
        ("the kernel crashed", "trouble"),
        ("```\nx\n```", "error"),
        ("hw 3 question 2a", "task"),
        ("what does median mean", "concept"),
        ("Wann ist die Abgabe?", "deadline"),
        ("迟交怎么算", "deadline"),
        ("thx", "chatter"),
    ],
)
async def test_cue_words_are_seen(text: str, cue: str) -> None:
    seen = await input_reader(Nearest())("c", Question(body=text), "")
    assert CUES.keys() <= seen.features.keys()
    assert seen.features[cue] > 0


def test_titles_and_sentences_are_looked_at_one_by_one_but_not_endlessly() -> None:
    asked = Question(title="two things", body="hi all! When is it due? 什么时候截止？可以迟交吗？\nThanks a lot.")
    told = ["two things", "hi all!", "When is it due?", "什么时候截止？", "可以迟交吗？", "Thanks a lot."]
    assert sentences(asked) == [one for one in told if one != "hi all!"]
    assert len(sentences(Question(body="A sentence of words. " * 50))) == MAX_SENTENCES + 1


@given(st.text(max_size=300))
def test_any_text_can_be_split(text: str) -> None:
    assert all(one in text for one in sentences(Question(body=text or "x")) if text)


@given(likely_needs, st.booleans())
def test_no_other_set_has_a_higher_expected_f1(found: Needs, required: bool) -> None:
    chosen = found.best_set(required=required)
    sets = chain.from_iterable(combinations(found.functions, size) for size in range(len(found.functions) + 1))
    allowed = [one for one in sets if one or not (required and found.functions)]
    assert _expected(chosen, found) == pytest.approx(max(_expected(one, found) for one in allowed), abs=1e-6)
    assert list(chosen) == sorted(chosen, key=lambda name: -found.functions[name])


def _expected(chosen: tuple[str, ...], found: Needs) -> float:
    """Expected F1 of calling `chosen`, summed set by set."""
    likely = found.functions
    chances: dict[tuple[str, ...], float] = {}
    for size in range(1, len(likely) + 1):
        for needed in combinations(likely, size):
            chances[needed] = 1.0
            for name, one in likely.items():
                chances[needed] *= one if name in needed else 1 - one
    some = max(sum(chances.values()), 1e-12)
    total = found.nothing * (not chosen)
    for needed, chance in chances.items():
        overlap = 2 * len({*chosen} & {*needed}) / (len(chosen) + len(needed))
        total += (1 - found.nothing) * chance / some * overlap
    return total
