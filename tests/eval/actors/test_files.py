"""Files as actors: rankings and calls that something else put out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from core.dataset import Dataset
from core.errors import InvalidInput, NotFound, UnknownName
from core.llm.offline import OfflineLLM
from core.types import Question
from eval.actors import actor_named, distinct, located
from eval.actors.calls_file import CallsFile
from eval.actors.run_file import RunFile
from eval.datasets.queries import Query
from eval.datasets.questions import FUNCTIONS, LabelledQuestion
from eval.setups.product import ProductSetup
from eval.setups.retrieval import RetrievalSetup
from tests.eval.actors.scripted import Scripted

QUERIES = (Query("q1", "?", "", frozenset(["a.md > One"])), Query("q2", "?", "", frozenset(["b"])))
QUESTIONS = (LabelledQuestion(id="f1", split="test", question=Question(body="?"), functions=()),)
LLM = OfflineLLM({})
GOOD = "q1 Q0 x 1 2.0 mine\nq1 Q0 a.md_>_One 2 1.0 mine\n"


def retrieval() -> RetrievalSetup:
    return RetrievalSetup(Dataset("d", QUERIES), cast(Any, None), "d", lambda _query, passage: passage.text, {}, None)


def functions() -> ProductSetup[LabelledQuestion]:
    nobody = cast(Any, None)
    return ProductSetup(Dataset("d", QUESTIONS), nobody, nobody, nobody, {}, "test")


def written(folder: Path, text: str, name: str = "other.run") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


async def test_a_run_file_is_ranked_by_score_and_speaks_of_the_labelled_locations(tmp_path: Path) -> None:
    actor = RunFile.made(written(tmp_path, "q1 Q0 a.md_>_One 1 1.0 mine\nq1 Q0 x 2 2.0 mine\n"), retrieval())
    assert actor.name == "run:other.run"
    assert await actor.act(QUERIES[0], 0, LLM) == ["x", "a.md > One"]


async def test_equal_scores_are_ordered_by_rank(tmp_path: Path) -> None:
    actor = RunFile.made(written(tmp_path, "q1 Q0 second 2 1.0 mine\nq1 Q0 first 1 1.0 mine\n"), retrieval())
    assert await actor.act(QUERIES[0], 0, LLM) == ["first", "second"]


async def test_ids_that_a_file_lacks_or_has_in_excess_are_named(tmp_path: Path) -> None:
    actor = RunFile.made(written(tmp_path, f"{GOOD}q9 Q0 x 1 1.0 mine\n"), retrieval())
    assert actor.remarks == (
        "other.run has 1 id (q9) that the data set does not have: left out.",
        "other.run lacks 1 id (q2) of the data set: unscored.",
    )
    with pytest.raises(NotFound, match=r"other\.run has no output"):
        await actor.act(QUERIES[1], 0, LLM)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("q1 Q0 a 1 2.0\n", "line 1: expected six columns"),
        (GOOD + "q1 Q0 b one 2.0 mine\n", "line 3: expected six columns"),
        (GOOD + "\nq1 Q0 b 1 nan mine\n", "line 4: expected six columns"),
        (GOOD + "q1 Q0 x 3 0.5 mine\n", "line 3: 'q1' has 'x' on line 1 already"),
        (GOOD + "q2 Q0 x 1 0.5 other\n", "line 3: a second run, 'other', besides 'mine' of line 1"),
    ],
)
def test_a_bad_run_file_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=rf"other\.run .*{complaint}"):
        RunFile.made(written(tmp_path, text), retrieval())


async def test_calls_are_read_from_json_lines(tmp_path: Path) -> None:
    row = json.dumps({"id": "f1", "functions": [FUNCTIONS[1], FUNCTIONS[0], FUNCTIONS[1]]})
    actor = CallsFile.made(written(tmp_path, row + "\n", "people.jsonl"), functions())
    assert (actor.name, actor.remarks) == ("calls:people.jsonl", ())
    assert await actor.act(QUESTIONS[0], 3, LLM) == sorted(FUNCTIONS[:2])


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"id": "f1"}', "line 1: not a JSON object with id and functions"),
        ('{"id": "f1", "functions": "qa_retrieval"}', "line 1: functions: expected a list"),
        ('{"id": "f1", "functions": ["qa_retrievel"]}', "line 1: .*qa_retrieval"),
        ('{"id": "f1", "functions": []}\n{"id": "f1", "functions": []}', "line 2: the id 'f1' is also on line 1"),
    ],
)
def test_a_bad_file_of_calls_is_named_with_its_line(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        CallsFile.made(written(tmp_path, line, "people.jsonl"), functions())


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("calls:x", UnknownName, r"retriever:NAME\[@MODEL\], run:PATH"),
        ("run", InvalidInput, "Write run:PATH"),
        ("run:", InvalidInput, "Write run:PATH"),
        ("run:no/such.run", InvalidInput, "cannot be read"),
        ("retriever:treee", UnknownName, "tree"),
    ],
)
def test_a_wrong_actor_is_named(text: str, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        actor_named(text, "retrieval", retrieval())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("run:a.run", "run:/course/a.run"),
        ("calls:/other/a.jsonl", "calls:/other/a.jsonl"),
        ("answers:a.jsonl, ../b.jsonl", "answers:/course/a.jsonl,/course/../b.jsonl"),
        ("limit:empty", "limit:empty"),
        ("run:", "run:"),
        ("rum:a", "rum:a"),
    ],
)
def test_files_of_an_experiment_are_relative_to_its_own(written: str, read: str) -> None:
    assert located(written, Path("/course")) == read


def test_an_actor_named_twice_is_measured_once_but_two_of_one_name_are_refused() -> None:
    assert len(distinct([Scripted("a"), Scripted("a")])) == 1
    with pytest.raises(InvalidInput, match="Two actors are called 'a'"):
        distinct([Scripted("a"), Scripted("a", identity="other")])
