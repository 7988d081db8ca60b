"""Which course functions a question needs, told without a language model."""

from __future__ import annotations

import json
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules import FUNCTION_NAMES
from core.types import Question, Source
from pipelines.router import CUES, WEIGHTS, Router, best_set, features, routed_text, shipped_weights, to_weights
from retrievers.affinity import Affinity
from tests.fakes import held_as

FAR = dict.fromkeys(Source, Affinity())
probabilities = st.dictionaries(st.sampled_from(FUNCTION_NAMES), st.floats(0, 1), max_size=4)


async def test_every_function_gets_a_probability() -> None:
    router = Router(held_as(Source.LOGISTICS), shipped_weights())
    found = await router.probabilities("c", Question(body="when is hw3 due?"), FUNCTION_NAMES)
    assert found.keys() == set(FUNCTION_NAMES)
    assert all(0 <= one <= 1 for one in found.values())
    assert max(found, key=found.__getitem__) == "logistics_retrieval"


async def test_what_the_course_has_on_it_raises_a_functions_probability() -> None:
    asked = Question(body="I wonder about the sampling distribution")
    weights = shipped_weights()
    far = await Router(held_as(Source.QA), weights).probabilities("c", asked, FUNCTION_NAMES)
    near = await Router(held_as(Source.TEXTBOOK), weights).probabilities("c", asked, FUNCTION_NAMES)
    assert near["textbook_retrieval"] > far["textbook_retrieval"]


async def test_the_category_counts_as_further_words_of_the_question() -> None:
    router, asked = Router(held_as(), shipped_weights()), Question(body="stuck")
    plain = await router.probabilities("c", asked, FUNCTION_NAMES)
    guided = await router.probabilities("c", asked, FUNCTION_NAMES, "Homework 3")
    assert guided["assignment_retrieval"] > plain["assignment_retrieval"]
    assert routed_text(asked, "Homework 3") == "Homework 3\nstuck"


def test_the_shipped_weights_fit_the_features_and_say_what_they_were_learned_from() -> None:
    content = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    weights, named = to_weights(content), features("", FAR)
    assert content["learned_from"]["split"] == "dev"
    assert weights.intercepts.keys() == set(FUNCTION_NAMES)
    assert all(one.keys() == named.keys() for one in weights.features.values())
    assert {len(one) for one in weights.vectors.values()} == {384}


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("until when can I submit", "deadline"),
        ("is a cheatsheet allowed in the midterm", "rules"),
        ("the kernel crashed", "trouble"),
        ("```\nx\n```", "error"),
        ("hw 3 question 2a", "task"),
        ("what does median mean", "concept"),
        ("thx", "chatter"),
    ],
)
def test_cue_words_are_seen(text: str, cue: str) -> None:
    assert CUES.keys() <= features(text, FAR).keys()
    assert features(text, FAR)[cue] > 0


@given(st.text(max_size=400), st.lists(st.floats(0, 50), min_size=4, max_size=4))
def test_features_of_any_text_and_any_material_are_bounded(text: str, scores: list[float]) -> None:
    sources = {source: Affinity(score, score, 0.5, 0.5) for source, score in zip(Source, scores, strict=True)}
    assert all(-1 <= value <= 1.5 for value in features(text, sources).values())


@given(probabilities, st.booleans())
def test_no_other_set_has_a_higher_expected_f1(likely: dict[str, float], required: bool) -> None:
    chosen = best_set(likely, required=required)
    every = chain.from_iterable(combinations(likely, size) for size in range(len(likely) + 1))
    allowed = [one for one in every if one or not (required and likely)]
    assert _expected(chosen, likely) == pytest.approx(max(_expected(one, likely) for one in allowed), abs=1e-9)
    assert list(chosen) == sorted(chosen, key=lambda name: -likely[name])


def _expected(chosen: tuple[str, ...], likely: dict[str, float]) -> float:
    total = 0.0
    for size in range(len(likely) + 1):
        for needed in combinations(likely, size):
            chance = 1.0
            for name, one in likely.items():
                chance *= one if name in needed else 1 - one
            both = len(chosen) + len(needed)
            total += chance * (2 * len({*chosen} & {*needed}) / both if both else 1.0)
    return total
