"""The router's weights are learned from labelled questions."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from core.types import Question, Source
from eval.datasets.questions import FUNCTIONS, LabelledQuestion
from eval.fitting.offline_router import Examples, cross_validated, examples, learn, to_file
from offline.router import Router, input_reader, to_weights
from retrievers.affinity import QuestionAffinity
from tests.fakes import Nearest

ASKED = {
    "qa_retrieval": "did anyone else get this error after the import number {}",
    "textbook_retrieval": "what does the concept in chapter {} mean",
    "assignment_retrieval": "what does hw {} question b ask for",
    "logistics_retrieval": "when is the deadline of week {}",
    "": "thanks, solved it, see you in week {}",
}


def labelled(each: int = 12) -> list[LabelledQuestion]:
    return [
        LabelledQuestion(
            id=f"{name}{n}",
            split="dev",
            question=Question(body=text.format(n)),
            functions=(name,) if name else (),
        )
        for n in range(each)
        for name, text in ASKED.items()
    ]


class Sorted(Nearest):
    """Every question is near to the material of its own kind."""

    async def measure(self, course_id: str, query: str, texts: Sequence[str]) -> QuestionAffinity:
        (name,) = [name for name, asked in ASKED.items() if texts[0].startswith(asked.split("{", 1)[0])]
        return await Nearest(*(Source(one.removesuffix("_retrieval")) for one in (name,) if one)).measure(
            course_id, query, texts
        )


async def test_what_is_learned_from_some_questions_holds_for_others() -> None:
    measured = cross_validated(await examples(input_reader(Sorted()), "c", labelled()))
    assert (measured.n, measured.set_f1.mean) == (60, 1.0)
    assert measured.brier < 0.05


async def test_the_file_holds_the_weights_that_were_learned() -> None:
    seen = await examples(input_reader(Sorted()), "c", labelled())
    learned = learn(seen)
    content = json.loads(json.dumps(to_file(learned, seen, "fake", {"course": "c"})))
    assert content["learned_from"] == {"course": "c"}
    asked = labelled()[3]
    found = await Router(Sorted(), to_weights(content)).needs("c", asked.question, FUNCTIONS)
    expected = learned.needs(seen)[3]
    assert found.nothing == pytest.approx(expected.nothing, abs=0.01)
    assert found.functions == pytest.approx(expected.functions, abs=0.01)


def test_chance_labels_are_not_learned() -> None:
    random = np.random.default_rng(0)
    needed = (random.random((60, 4)) < 0.4).astype(np.int64)
    seen = Examples(("a", "b"), random.normal(size=(60, 2)), random.normal(size=(60, 3)), needed)
    assert (cross_validated(seen).set_f1.mean or 0.0) < 0.7
    rate = np.mean([one.nothing for one in learn(seen).needs(seen)])
    assert rate == pytest.approx((~needed.any(axis=1)).mean(), abs=0.05)
