"""The Evaluator."""

from __future__ import annotations

import pytest

from core.errors import BadReply, InvalidInput
from core.llm.base import LLM
from core.llm.models import NamedModel
from core.llm.scripted import ScriptedLLM
from core.score import Score
from core.store.store import Store
from eval.runner import RunLimits, Runner
from eval.sensemaking.evaluator import KIND, answers_to_rate, rate, ratings_of
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission
from judging.answers import JudgedAnswer
from judging.tasks import JudgeTeachingPoints
from tests.fakes import FakeEmbedder
from tests.judging import scripted

TEXT = """Cats eat mice and sleep for most of the day, which saves the strength that they need for hunting at night.
Dogs chase balls through the park until they are tired, since they were bred to run with hunters for whole days."""
SECTIONS = Sections(found=(Section(path="a/pets", text=TEXT, questions={}),))
ANSWERS = TaskSubmission(
    kind=ListKind.ANSWERS,
    lists={"a/pets/answers0.json": (("What do dogs chase?", "Balls.", "Cats."), ("What do cats read?",))},
)


async def _scores(store: Store, llm: LLM, submission: TaskSubmission = ANSWERS) -> dict[str, Score]:
    dataset, _ = answers_to_rate(SECTIONS, submission, FakeEmbedder())
    runner = Runner(store.evaluations, llm, {})
    return await rate(runner, NamedModel(llm.model, llm, llm.model), dataset, RunLimits(), lambda _done, _all: None)


def _items() -> tuple[JudgedAnswer, ...]:
    return answers_to_rate(SECTIONS, ANSWERS, FakeEmbedder())[0].items


def test_an_answer_is_read_beside_the_passage_that_is_nearest_to_question_and_answer() -> None:
    first, second = _items()
    assert (first.answer, second.answer) == ("Balls.", "Cats.")
    assert first.reference == second.reference
    assert first.reference.startswith("Dogs chase balls")


async def test_ratings_are_from_0_to_100_with_none_for_a_question_without_an_answer(store: Store) -> None:
    llm = ScriptedLLM({JudgeTeachingPoints: [lambda task: scripted.points(4 if task.answer == "Balls." else 0)]})
    rated = ratings_of(ANSWERS, await _scores(store, llm))
    assert rated.lists == {"a/pets/ratings0.json": ((80, 0), ())}
    (stored,) = await store.evaluations.all(None, KIND)
    assert stored.summary is not None


async def test_a_list_with_an_answer_that_could_not_be_judged_is_named(store: Store) -> None:
    llm = ScriptedLLM({JudgeTeachingPoints: [BadReply("no JSON")]})
    rated = ratings_of(ANSWERS, await _scores(store, llm))
    assert not rated.lists
    assert rated.problems == ("a/pets/answers0.json: 2 answers have no rating: no JSON",)


def test_answers_about_another_section_are_named() -> None:
    other = TaskSubmission(kind=ListKind.ANSWERS, lists={"b/answers.json": (("q", "a"),), **ANSWERS.lists})
    dataset, problems = answers_to_rate(SECTIONS, other, FakeEmbedder())
    assert len(dataset.items) == 2
    assert problems == ["b/answers.json: the folder has no usable section b."]
    assert "its section cannot be used" in ratings_of(other, {}).problems[0]


def test_a_submission_without_answers_is_refused() -> None:
    empty = TaskSubmission(kind=ListKind.ANSWERS, lists={"a/pets/answers.json": (("What do cats read?",),)})
    with pytest.raises(InvalidInput, match="no answer to rate"):
        answers_to_rate(SECTIONS, empty, FakeEmbedder())
