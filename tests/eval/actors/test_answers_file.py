"""Answers of people, and the limits of any answer, as actors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from core.dataset import Dataset
from core.errors import InvalidInput, NotFound, UnknownName
from core.llm.offline import OfflineLLM
from core.types import Question
from eval.actors import actor_named
from eval.actors.answers_file import AnswersFile
from eval.actors.limits import LimitActor
from eval.datasets.answers import KIND, LabelledAnswer
from eval.datasets.outputs import AnswerOutput
from eval.metrics.answers.passages import CitedFirst, Retrieved
from eval.metrics.base import Output
from eval.setups.product import ProductSetup
from tests.eval.answers.labelled import ROWS, message

LLM = OfflineLLM({})
MESSAGES = (
    message("1", question=Question(title="Rows", body="How do I  select rows?")),
    message("2", "abstain"),
    message("3", "no_response"),
)


def setup() -> ProductSetup[LabelledAnswer]:
    nobody = cast(Any, None)
    return ProductSetup(Dataset("d", MESSAGES), nobody, nobody, nobody, {}, "test")


def written(folder: Path, *rows: dict[str, Any], name: str = "ta.jsonl") -> str:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(folder / name)


async def put_out(actor: AnswersFile | LimitActor, number: int) -> AnswerOutput:
    return AnswerOutput.model_validate(await actor.act(MESSAGES[number], 0, LLM))


async def test_answers_are_read_with_what_is_known_of_them(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1", "answer": "By a condition.", "citations": [ROWS]},
        {"id": "2", "answer": " "},
    ]
    actor = AnswersFile.made(written(tmp_path, *rows, {"id": "9", "answer": "x"}), setup())
    assert actor.name == "answers:ta.jsonl"
    assert len(actor.remarks) == 2
    answer, silence = await put_out(actor, 0), await put_out(actor, 1)
    assert (answer.status, answer.answer, answer.retrieved) == ("answered", "By a condition.", None)
    assert CitedFirst().score(MESSAGES[0], Output(answer.model_dump(), None)).value == 1
    assert silence.status == "abstained"
    with pytest.raises(NotFound, match=r"ta\.jsonl has no answer"):
        await actor.act(MESSAGES[2], 0, LLM)


async def test_citations_that_are_not_known_are_unscored_and_not_0(tmp_path: Path) -> None:
    actor = AnswersFile.made(written(tmp_path, {"id": "1", "answer": "By a condition."}), setup())
    output = Output((await put_out(actor, 0)).model_dump(), None)
    for metric in (CitedFirst(), Retrieved()):
        assert "not known what" in (metric.score(MESSAGES[0], output).unscored or "")


async def test_several_files_are_one_actor_with_alternatives(tmp_path: Path) -> None:
    files = (
        written(tmp_path, {"id": "1", "answer": ""}, name="a.jsonl"),
        written(tmp_path, {"id": "1", "answer": "One."}, {"id": "2", "answer": "Two."}, name="b.jsonl"),
        written(tmp_path, {"id": "1", "answer": "Another."}, name="c.jsonl"),
    )
    actor = AnswersFile.made(",".join(files), setup())
    assert actor.name == "answers:a.jsonl,b.jsonl,c.jsonl"
    first = await put_out(actor, 0)
    assert (first.answer, [one.answer for one in first.alternatives]) == ("One.", ["Another."])
    assert not (await put_out(actor, 1)).alternatives


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"id": "1"}], "line 1: not a JSON object with id and answer"),
        ([{"id": "1", "answer": 3}], "line 1: the answer '1' is not valid: answer"),
        ([{"id": "1", "answer": "x", "citations": 3}], "line 1: .* citations: not a list"),
        ([{"id": "1", "answer": "x", "status": "sent"}], "line 1: .*status"),
        ([{"id": "1", "answer": "x"}, {"id": "1", "answer": "y"}], "line 2: the id '1' is also on line 1"),
        ([{"id": "7", "answer": "x"}], "line 1: neither '7' nor any other id is one of a message"),
        ([{"id": "1", "answer": "x", "question": "Which rows?"}], "line 1: .* another wording"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, rows: list[dict[str, Any]], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=rf"ta\.jsonl {complaint}"):
        AnswersFile.made(written(tmp_path, *rows), setup())


def test_an_answer_to_the_same_wording_is_accepted_whatever_its_white_space(tmp_path: Path) -> None:
    for asked in ("How do I select rows?", "Rows How do I select\nrows?", "Rows\n\nHow do I  select rows?"):
        AnswersFile.made(written(tmp_path, {"id": "1", "answer": "x", "question": asked}), setup())


async def test_the_limits_are_the_reference_and_nothing() -> None:
    reference, empty = (
        cast(LimitActor, actor_named(f"limit:{name}", KIND, setup())) for name in ("reference", "empty")
    )
    assert [(await put_out(reference, number)).status for number in range(3)] == [
        "answered",
        "abstained",
        "no_response_needed",
    ]
    assert (await put_out(reference, 0)).answer == MESSAGES[0].reference
    assert (await put_out(empty, 0)).answer == ""
    with pytest.raises(UnknownName, match="reference, empty"):
        actor_named("limit:best", KIND, setup())
