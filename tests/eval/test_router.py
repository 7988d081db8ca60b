"""The router's weights are learned from labelled questions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.types import Question, Source
from eval.functions import FUNCTIONS, LabelledQuestion
from eval.router import Examples, cross_validated, examples, learn, to_file
from pipelines.router import Router, to_weights
from retrievers.affinity import Affinities
from tests.fakes import held_as

ASKED = {
    "qa_retrieval": "did anyone else get this error after the import number {}",
    "textbook_retrieval": "what does the concept in chapter {} mean",
    "assignment_retrieval": "what does hw {} question b ask for",
    "logistics_retrieval": "when is the deadline of week {}",
}


def labelled(each: int = 12) -> list[LabelledQuestion]:
    return [
        LabelledQuestion(
            id=f"{name}{n}", split="dev", question=Question(body=text.format(n)), raters={}, functions=(name,)
        )
        for n in range(each)
        for name, text in ASKED.items()
    ]


async def near(course_id: str, query: str, text: str) -> Affinities:
    """Every question is near to the material of its own kind."""
    (name,) = [name for name, asked in ASKED.items() if text.startswith(asked.split("{", 1)[0])]
    return await held_as(Source(name.removesuffix("_retrieval")))(course_id, query, text)


async def test_what_is_learned_from_some_questions_holds_for_others() -> None:
    seen = await examples(near, "c", labelled())
    measured = cross_validated(seen)
    assert (measured["n"], measured["set_f1"]["mean"]) == (48, 1.0)
    assert measured["brier"] < 0.05


async def test_the_file_holds_the_weights_that_were_learned() -> None:
    seen = await examples(near, "c", labelled())
    learned = learn(seen)
    content = json.loads(json.dumps(to_file(learned, seen, "fake", {"course": "c"})))
    assert content["learned_from"] == {"course": "c"}
    router = Router(near, to_weights(content))
    asked = Question(body=ASKED["qa_retrieval"].format(3))
    found = await router.probabilities("c", asked, FUNCTIONS)
    (row,) = [n for n, one in enumerate(labelled()) if one.question == asked]
    assert list(found.values()) == pytest.approx(learned.probabilities(seen)[row].tolist(), abs=0.01)


def test_chance_labels_are_not_learned() -> None:
    random = np.random.default_rng(0)
    needed = (random.random((60, 4)) < 0.25).astype(np.int64)
    seen = Examples(("a", "b"), random.normal(size=(60, 2)), random.normal(size=(60, 3)), needed)
    assert cross_validated(seen)["set_f1"]["mean"] < 0.6
    assert learn(seen).probabilities(seen).mean() == pytest.approx(needed.mean(), abs=0.05)
