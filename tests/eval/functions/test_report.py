"""Function selection: labels, set F1, and the evaluation of pipelines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.course import Course
from core.dataset import Dataset
from core.errors import InvalidInput
from core.llm.models import Models
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice
from core.store.store import Store
from core.types import FunctionCall, Question
from eval.datasets.questions import FUNCTIONS, LabelledQuestion, agreement, labelled_questions, read_function_labels
from eval.functions.evaluation import FunctionsRequest
from eval.functions.report import best_constant, functions_report
from eval.runner import Runner
from eval.setups.product import ProductSetup
from pipelines.assistant import Assistant
from pipelines.configuration import resolve
from retrievers.index.indexes import Indexes
from tasks import ChooseFunctions, WriteAnswer, WrittenAnswer
from tests.fakes import FakeEmbedder, fake_embeddings
from tests.retrievers.shelf import Shelf

QA, TEXTBOOK, ASSIGNMENT, LOGISTICS = FUNCTIONS


def question(name: str, *functions: str, a: tuple[str, ...] | None = None, split: str = "test") -> LabelledQuestion:
    raters = {"a": functions if a is None else a, "b": functions}
    return LabelledQuestion(
        id=name, split=split, question=Question(body=f"Question {name}?"), raters=raters, functions=functions
    )


def write(folder: Path, labels: list[dict[str, object]]) -> Path:
    questions = [{"id": f"f{n}", "split": "dev", "question": {"title": "", "body": "?"}} for n in range(len(labels))]
    for name, rows in (("questions", questions), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def label(name: str, *functions: str) -> dict[str, object]:
    return {"id": name, "raters": {"a": functions, "b": functions}, "functions": functions}


def test_the_best_constant_set_is_what_pipelines_must_beat() -> None:
    wanted = [frozenset([QA]), frozenset([QA, TEXTBOOK]), frozenset([LOGISTICS])]
    best = best_constant(wanted)
    assert best.functions == (LOGISTICS, QA)
    assert best.set_f1 == pytest.approx((2 / 3 + 1 / 2 + 2 / 3) / 3, abs=1e-6)


def test_agreement_of_two_raters() -> None:
    rated = agreement([question("1", QA), question("2", TEXTBOOK, a=(QA,)), question("3", TEXTBOOK)])
    assert (rated.n, rated.same_set) == (3, 0.6667)
    assert rated.kappa[QA] == pytest.approx(0.4)
    assert rated.kappa[LOGISTICS] is None


def test_labels_are_read_with_their_questions(tmp_path: Path) -> None:
    (first, second) = read_function_labels(write(tmp_path, [label("f0", QA), label("f1")]))
    assert (first.functions, second.functions, first.split) == ((QA,), (), "dev")


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ([label("f0", "wiki_retrieval")], "wiki_retrieval"),
        ([label("f9", QA)], "f0, f9"),
        ([{"id": "f0"}], "'f0' is not valid"),
        ([label("f0"), label("f0")], "line 2: the id 'f0'"),
    ],
)
def test_bad_labels_are_named(tmp_path: Path, labels: list[dict[str, object]], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        read_function_labels(write(tmp_path, labels))


def test_missing_labels_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"questions\.jsonl"):
        read_function_labels(tmp_path)


@pytest.fixture
async def store(store: Store) -> Store:
    await Shelf(store, FakeEmbedder()).add("ds", "book", ["Means and medians."])
    return store


async def test_a_split_without_questions_is_named(store: Store) -> None:
    await store.evaluations.put_labels("ds", "functions", {"1": question("1", QA, split="dev").model_dump(mode="json")})
    assert len(await labelled_questions(store, "ds", None)) == 1
    with pytest.raises(InvalidInput, match="it has: dev"):
        await labelled_questions(store, "ds", "test")


async def test_calls_of_a_pipeline_are_compared_with_the_labels(store: Store, tmp_path: Path) -> None:
    calls = Choice(calls=(FunctionCall(id="1", name=TEXTBOOK, arguments={"query": "mean"}),))
    answer = WrittenAnswer(status="abstained", statements=(), confidence=0.0)
    llm = ScriptedLLM({ChooseFunctions: [calls], WriteAnswer: [answer]})
    assistant = Assistant(Models.of(llm), Indexes(store, fake_embeddings(), tmp_path / "index"))
    configuration = resolve({}, {"pipeline": "fc_forced", "retriever": "bm25", "top_k": 3}, "scripted")
    questions = (question("1", TEXTBOOK), question("2", TEXTBOOK, QA), question("3", QA))
    setup = ProductSetup(
        Dataset("ds", questions), assistant, Course(id="ds"), lambda _choices: configuration, {}, "test"
    )
    outcome = await Runner(store.evaluations, llm, {}).run(
        FunctionsRequest("ds", "test", 2, ("fc_forced",)).plan(setup)
    )

    report = functions_report(outcome)
    figures = report.actors["fc_forced"]
    assert outcome.scores("set_f1", "fc_forced") == {"1": 1.0, "2": pytest.approx(2 / 3), "3": 0.0}
    assert figures.means["set_f1"].mean == pytest.approx(5 / 9, abs=1e-5)
    assert figures.functions[TEXTBOOK].precision == pytest.approx(2 / 3, abs=1e-5)
    assert figures.functions[TEXTBOOK].recall == 1.0
    assert figures.confusion[0].model_dump() == {"wanted": (QA, TEXTBOOK), "called": (TEXTBOOK,), "times": 2}
    assert (figures.model_calls, figures.unscored) == (2.0, 0)
    assert {sampling.seed for sampling in llm.samplings} == {0, 1}
    assert report.model_dump(mode="json")["pipelines"]["fc_forced"]["set_f1"]["mean"] == figures.means["set_f1"].mean
