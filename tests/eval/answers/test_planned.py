"""What an evaluation of answers will take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from core.errors import UnknownName
from core.llm.models import Models
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.settings import ModelPrice
from eval.actors.answers import AnsweringActor
from eval.answers.judging.chosen import ChosenJudge
from eval.answers.planned import PROMPT_TOKENS, REPLY_TOKENS, max_calls, planned
from eval.datasets.answers import LabelledAnswer
from eval.plan import Plan
from eval.setups.product import ProductSetup
from pipelines.configuration import resolve
from tests.eval.answers.labelled import message, plan

PRICES = {"dear": ModelPrice(input=1.0, output=10.0)}
MODELS = Models.of(ScriptedLLM([], model="dear"), ScriptedLLM([], model="unpriced"), OfflineLLM({}), prices=PRICES)
MESSAGES = (message("1"), message("2"), message("3", "abstain"))


def actor(model: str = "dear", **choices: Any) -> AnsweringActor:
    chosen = {"pipeline": "fc", "retriever": "bm25", "top_k": 3, "model": model, **choices}
    nobody = cast(Any, None)
    setup = ProductSetup(plan(*MESSAGES).dataset, cast(Any, nobody), nobody, nobody, {}, "test")
    return AnsweringActor(model, resolve({}, chosen, model), setup)


def of(*actors: AnsweringActor) -> Plan[LabelledAnswer]:
    return replace(plan(*MESSAGES, seeds=(0, 1)), actors=actors)


def test_calls_follow_from_the_pipeline_and_its_parameters() -> None:
    assert max_calls(actor()) == 2
    assert max_calls(actor(pipeline="fc_iterative", max_rounds=4)) == 6
    assert max_calls(actor(pipeline="fc_feedback", max_rounds=2)) == 9
    assert max_calls(actor(pipeline="fc_multihop")) == 6


def test_cost_is_of_answers_and_judges_together() -> None:
    judges = (ChosenJudge(judge="teaching_points", samples=3), ChosenJudge(judge="preference"))
    found = planned(of(actor()), judges, MODELS)
    (answering,) = found.actors
    assert (answering.outputs, answering.model_calls) == (6, 12)
    assert answering.cost_usd == pytest.approx(12 * (PROMPT_TOKENS + 10 * REPLY_TOKENS) / 1e6)
    points, preference = found.judges
    assert (points.outputs, points.model_calls, preference.model_calls) == (4, 12, 8)
    assert points.prompt_tokens > 12 * 100
    assert found.cost_usd == pytest.approx(sum(one.cost_usd or 0 for one in (answering, points, preference)))
    assert found.model_calls == 32


def test_offline_is_free_and_an_unknown_price_is_no_price() -> None:
    judges = (ChosenJudge(judge="edumod", model="offline"),)
    assert (planned(of(actor("offline")), judges, MODELS).cost_usd, planned(of(), (), MODELS).model_calls) == (0, 0)
    assert planned(of(actor("dear"), actor("unpriced")), (), MODELS).cost_usd is None
    with pytest.raises(UnknownName, match="dear"):
        planned(of(), (ChosenJudge(judge="edumod", model="dare"),), MODELS)
