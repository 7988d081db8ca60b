"""What judges make of replies: medians, quotes, and replies that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadReply, InvalidInput, MissingCapability, ModelDeclined, ModelUnavailable, UnknownName
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.llm.task import LabelTask, Likelihoods
from judging import JUDGES, judge_named
from judging.answers import JudgedAnswer
from judging.computed.verdicts import COMPUTED_RULES
from judging.options import JudgeOptions
from judging.panel import members_of
from judging.tasks import (
    CheckedStatement,
    CheckedStatements,
    Grades,
    JudgeTeachingPoints,
    Preference,
    TeachingPoints,
)

ITEM = JudgedAnswer(
    id="a",
    question="What does a left join keep?",
    reference="All rows of the left table; missing values where no key matches.",
    answer="Every row of the left table, with missing values where no key matches.",
    passages=("A left join keeps all rows of the left table. It fills in missing values where no key matches.",),
)


def points(score: float, *quotes: str) -> TeachingPoints:
    return TeachingPoints(reasons="Because.", quotes=quotes, core=("rows",), missing=("keys",), extra=(), score=score)


async def test_a_verdict_has_parts_reasons_and_only_quotes_that_stand_in_the_texts() -> None:
    llm = ScriptedLLM([points(4, "Every  row of the LEFT table", "made up")])
    score = await judge_named("teaching_points").judge(ITEM, llm)
    assert (score.value, score.parts["missing"], score.quotes) == (4, 1, ("Every  row of the LEFT table",))
    assert "Because. Missing: keys." in score.explanation


@pytest.mark.parametrize("error", [BadReply("The reply was truncated."), ModelDeclined("It would not.")])
async def test_a_reply_that_cannot_be_used_is_unscored_with_the_reason(error: BadReply) -> None:
    score = await judge_named("teaching_points").judge(ITEM, ScriptedLLM([error]))
    assert (score.value, score.unscored) == (None, str(error))


async def test_a_model_that_cannot_be_reached_is_an_error_to_try_again() -> None:
    with pytest.raises(ModelUnavailable):
        await judge_named("edumod").judge(ITEM, ScriptedLLM([ModelUnavailable("down")]))


async def test_several_samples_give_their_median_and_differ_in_their_seeds() -> None:
    llm = ScriptedLLM([points(1), points(5), points(4)])
    score = await judge_named("teaching_points", JudgeOptions(model="m", samples=3)).judge(ITEM, llm, seed=2)
    assert score.value == 4
    assert len({sampling.seed for sampling in llm.samplings}) == 3
    assert {sampling.model for sampling in llm.samplings} == {"m"}


async def test_samples_of_which_most_cannot_be_used_are_unscored() -> None:
    llm = ScriptedLLM([BadReply("no"), points(5), BadReply("no")])
    assert (await judge_named("teaching_points", JudgeOptions(samples=3)).judge(ITEM, llm)).value is None


async def test_a_hidden_reference_is_not_shown_to_the_model() -> None:
    llm = ScriptedLLM([points(3)])
    await judge_named("teaching_points", JudgeOptions(reference=False)).judge(ITEM, llm)
    (task,) = llm.tasks
    assert isinstance(task, JudgeTeachingPoints)
    assert task.reference == ""


async def test_invisible_characters_do_not_reach_the_model() -> None:
    llm = ScriptedLLM([points(3)])
    await judge_named("teaching_points").judge(ITEM.model_copy(update={"answer": "Every\u200b row"}), llm)
    assert "\u200b" not in llm.tasks[0].model_dump_json()


async def test_style_and_relevance_do_not_make_up_for_facts() -> None:
    grades = Grades(reasons="", quotes=(), factuality=1, relevance=3, style=3)
    score = await judge_named("edumod").judge(ITEM, ScriptedLLM([grades]))
    assert (score.value, score.parts) == (1, {"factuality": 1, "relevance": 3, "style": 3})


@pytest.mark.parametrize(("factuality", "relevance", "value"), [(5, 3, 4), (3, 5, 3), (1, 4, 1), (5, 5, 5)])
async def test_relevance_lowers_a_score_and_does_not_make_up_for_facts(
    factuality: float, relevance: float, value: float
) -> None:
    grades = Grades(reasons="", quotes=(), factuality=factuality, relevance=relevance, style=3)
    assert (await judge_named("edumod").judge(ITEM, ScriptedLLM([grades]))).value == value


async def test_grounded_is_the_share_of_supported_claims_and_unscored_without_any() -> None:
    statements = [CheckedStatement(statement=verdict, quote="", verdict=verdict) for verdict in ("supported", "absent")]
    score = await judge_named("grounded").judge(ITEM, ScriptedLLM([CheckedStatements(statements=tuple(statements))]))
    assert (score.value, score.parts["absent"]) == (0.5, 1)
    nothing = await judge_named("grounded").judge(ITEM, ScriptedLLM([CheckedStatements(statements=())]))
    assert nothing.unscored == "The answer makes no statement."


async def test_preference_asks_in_both_orders_and_counts_verdicts_that_depend_on_the_order() -> None:
    def choosing(choice: str) -> Preference:
        return Preference.model_validate({"reasons": "", "quotes": (), "choice": choice})

    same = await judge_named("preference").judge(ITEM, ScriptedLLM([choosing("a"), choosing("b")]))
    assert (same.value, same.parts["inconsistent"]) == (1, 0)
    first = await judge_named("preference").judge(ITEM, ScriptedLLM([choosing("a"), choosing("a")]))
    assert (first.value, first.parts["inconsistent"]) == (0.5, 1)


EXPECTED = JudgeOptions(expected=True)


def likely(**shares: float) -> Likelihoods:
    return Likelihoods(by_label={name.removeprefix("_"): share for name, share in shares.items()})


async def test_an_expected_score_weighs_all_verdicts_by_the_first_token() -> None:
    llm = ScriptedLLM([likely(_3=0.25, _5=0.75)])
    score = await judge_named("teaching_points", EXPECTED).judge(ITEM, llm)
    (task,) = llm.tasks
    assert isinstance(task, LabelTask)
    assert task.labels == ("0", "1", "2", "3", "4", "5")
    assert (score.value, score.parts, score.explanation) == (4.5, {"score": 4.5}, "score: 3 0.25, 5 0.75")


async def test_every_criterion_has_an_expected_score_of_its_own() -> None:
    llm = ScriptedLLM([likely(_5=1), likely(_2=0.5, _4=0.5), likely(_1=1)])
    score = await judge_named("edumod", EXPECTED).judge(ITEM, llm)
    assert (score.value, score.parts) == (4, {"factuality": 5, "relevance": 3, "style": 1})


async def test_an_expected_preference_is_asked_in_both_orders() -> None:
    agreeing = ScriptedLLM([likely(a=0.8, b=0.2), likely(b=0.6, tie=0.4)])
    score = await judge_named("preference", EXPECTED).judge(ITEM, agreeing)
    assert score.value == pytest.approx(0.8)
    assert score.parts["inconsistent"] == 0
    first = ScriptedLLM([likely(a=1.0, b=0.0), likely(a=1.0, b=0.0)])
    assert (await judge_named("preference", EXPECTED).judge(ITEM, first)).parts["inconsistent"] == 1


async def test_expected_scores_need_probabilities_and_a_judge_with_one_verdict() -> None:
    with pytest.raises(MissingCapability, match="no token probabilities"):
        await judge_named("disclosure", EXPECTED).judge(ITEM, OfflineLLM(COMPUTED_RULES))
    with pytest.raises(InvalidInput, match="grounded counts its score from a whole reply"):
        judge_named("grounded", EXPECTED)
    with pytest.raises(InvalidInput, match="Leave out --samples"):
        JudgeOptions(expected=True, samples=3)


async def test_a_panel_gives_the_mean_of_its_members_and_keeps_their_scores() -> None:
    llm = ScriptedLLM([points(1, "Every row"), points(4)])
    score = await judge_named("teaching_points", JudgeOptions(panel=("a", "b"))).judge(ITEM, llm)
    assert (score.value, members_of(score), score.quotes) == (2.5, {"a": 1, "b": 4}, ("Every row",))
    assert [sampling.model for sampling in llm.samplings] == ["a", "b"]


async def test_a_panel_scores_as_long_as_half_of_it_does() -> None:
    judge = judge_named("teaching_points", JudgeOptions(panel=("a", "b", "c")))
    half = await judge.judge(ITEM, ScriptedLLM([BadReply("prose"), points(2), points(4)]))
    assert (half.value, members_of(half)) == (3, {"b": 2, "c": 4})
    assert "a: prose" in half.explanation
    most = await judge.judge(ITEM, ScriptedLLM([BadReply("prose"), points(2), BadReply("cut")]))
    assert (most.value, most.unscored) == (None, "prose")


@pytest.mark.parametrize("wrong", [{"panel": ("a",)}, {"panel": ("a", "a")}, {"panel": ("a", "b"), "model": "c"}])
def test_a_panel_needs_two_different_models(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="--panel: write two or more"):
        JudgeOptions(**wrong)


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: judge.name)
async def test_every_judge_has_a_computed_form_on_its_scale(judge: type) -> None:
    made = judge()
    llm = OfflineLLM(COMPUTED_RULES)
    for answer in (ITEM.answer, "", "\u200b", "```python\nx = 1\n```", "不知道", "I don't know."):
        score = await made.judge(ITEM.model_copy(update={"answer": answer}), llm)
        assert score.unscored or made.scale.min <= score.value <= made.scale.max
        assert score == await made.judge(ITEM.model_copy(update={"answer": answer}), llm)


def test_an_unknown_judge_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="teaching_points"):
        judge_named("teaching_point")
    with pytest.raises(InvalidInput, match="1 to 25"):
        JudgeOptions(samples=0)
