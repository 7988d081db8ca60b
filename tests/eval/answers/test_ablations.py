"""What left-out fields are worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from core.llm.models import NamedModel
from core.types import Message, Question
from eval.actors.answers import AnsweringActor
from eval.actors.base import Actor
from eval.answers.ablations import ablations
from eval.metrics.answers.decisions import WronglyAbstained
from eval.metrics.answers.passages import CitedFirst
from eval.setups.product import ProductSetup
from pipelines.configuration import resolve
from tests.eval.actors.scripted import Scripted, outcome
from tests.eval.answers.labelled import ROWS, abstention, message, output, plan

THREAD = Question(body="And then?", thread=(Message(body="How do I select rows?"),))


@dataclass(frozen=True)
class Assistant:
    """Stands for an assistant with models whose endpoints are not known."""

    models: Any


def test_gains_are_over_the_messages_that_have_the_field() -> None:
    having = [message(str(number), question=THREAD) for number in range(8)]
    messages = (*having, message("plain"))
    nobody = cast(Any, None)
    assistant = cast(Any, Assistant({"scripted": NamedModel("scripted", nobody, "scripted")}))
    setup = ProductSetup(plan(*messages).dataset, assistant, nobody, nobody, {}, "test")
    configuration = resolve({}, {"pipeline": "fc", "retriever": "bm25", "top_k": 3}, "scripted")
    whole = AnsweringActor("fc", configuration, setup)
    actors: tuple[Actor[Any], ...] = (whole, whole.leaving_out("thread"), whole.leaving_out("code"), Scripted("other"))
    answered, wrong = output(ROWS), output("x.md")
    rows = [("fc", one.id, answered) for one in messages]
    rows += [("fc without thread", one.id, wrong if one.id == "0" else abstention()) for one in having]
    rows += [("fc without thread", "plain", wrong), ("other", "plain", wrong)]
    rows += [("fc without code", one.id, answered) for one in messages]
    found = ablations(
        outcome(replace(plan(*messages), actors=actors), *rows),
        (CitedFirst(), WronglyAbstained()),
    )
    assert [(one.actor, one.without, one.n) for one in found] == [("fc", "thread", 8), ("fc", "code", 0)]
    cited, abstained = found[0].worth
    assert (cited.n, cited.gain.mean) == (8, 1)
    assert abstained.gain.mean == pytest.approx(7 / 8)
    assert cited.p < 0.05
    assert found[1].worth[0].gain.mean is None
