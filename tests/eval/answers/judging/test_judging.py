"""Judges of answers: what they read, and what the report says of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from core.errors import BadReply, InvalidInput, ModelUnavailable, UnknownName
from core.llm.scripted import ScriptedLLM
from core.store.store import Store
from eval.answers.judging.chosen import ChosenJudge, distinct_judges
from eval.answers.page import answers_page
from eval.answers.report import answers_report
from judging.disclosure import DisclosureJudge
from judging.tasks import CompareAnswers, Disclosure, Grades, JudgeDisclosure, JudgeEduMod, JudgeTeachingPoints
from tests.eval.answers.judging.judged_answers import judged, measured
from tests.eval.answers.labelled import ROWS, abstention, message, output
from tests.judging.scripted import first_is_better, points
from tests.pipelines.runs import passage

MESSAGES = (message("1"), message("2"), message("3"), message("4", "abstain"))
GOOD, BAD = output(ROWS, answer="A condition selects rows [1]."), output(ROWS, answer="No idea at all [1].")


@pytest.fixture
async def store(store: Store) -> Store:
    await store.courses.put("ds", {})
    return store


def by_words(task: JudgeTeachingPoints) -> object:
    """5 for the good answer, 1 for another; no usable reply to one that is garbled."""
    if "garbled" in task.answer:
        return BadReply("no JSON")
    return points(5 if "condition" in task.answer else 1)


def rows(actor: str, *outputs: object) -> list[tuple[str, str, object]]:
    return [(actor, one.id, found) for one, found in zip(MESSAGES, outputs, strict=True)]


async def test_a_judge_scores_answers_and_nothing_is_dropped_or_counted_as_0(store: Store) -> None:
    garbled = output(ROWS, answer="garbled")
    answers = measured(MESSAGES, [*rows("a", GOOD, BAD, abstention(), GOOD), *rows("b", garbled, GOOD, None, GOOD)])
    llm = ScriptedLLM({JudgeTeachingPoints: [by_words]})
    outcome, judgings = await judged(store, answers, "teaching_points", llm=llm)
    report = answers_report(outcome, judgings)
    a, b = (report.actors[name].judged["teaching_points"] for name in ("a", "b"))
    assert (a.n, sum(a.distribution), a.unanswered, a.unscored) == (3, 2, 1, 0)
    assert (b.n, sum(b.distribution), b.unanswered, b.unscored) == (3, 1, 0, 2)
    assert b.unscored_reasons == {"no JSON": 1, "no": 1}
    assert report.actors["a"].means["teaching_points"].mean == 3
    assert report.actors["b"].means["teaching_points"].mean == 5
    assert a.acceptable.mean == pytest.approx(1 / 3)
    assert b.acceptable.mean == 1
    assert a.distribution == (0, 1, 0, 0, 0, 1)
    judge = report.judges["teaching_points"]
    assert (judge.form, judge.acceptable, judge.unscored, judge.failed) == ("model", 3, 1, 0)


async def test_equal_answers_to_a_message_are_judged_once(store: Store) -> None:
    answers = measured(MESSAGES, [*rows("a", GOOD, GOOD, BAD, GOOD), *rows("b", GOOD, GOOD, GOOD, GOOD)])
    llm = ScriptedLLM({JudgeTeachingPoints: [by_words]})
    _, judgings = await judged(store, answers, "teaching_points", llm=llm)
    assert len(llm.tasks) == len(judgings[0].outcome.rows) == 4


async def test_an_unreachable_judge_makes_the_report_incomplete(store: Store) -> None:
    answers = measured(MESSAGES, rows("a", GOOD, GOOD, BAD, GOOD))
    llm = ScriptedLLM({JudgeTeachingPoints: [ModelUnavailable("It is down.")]})
    outcome, judgings = await judged(store, answers, "teaching_points", llm=llm)
    report = answers_report(outcome, judgings)
    assert (report.judges["teaching_points"].failed, report.complete) == (3, False)
    assert report.actors["a"].means["teaching_points"].mean is None


async def test_a_cost_cap_leaves_answers_unscored_with_the_reason(store: Store) -> None:
    answers = measured(MESSAGES, rows("a", GOOD, GOOD, BAD, GOOD))
    outcome, judgings = await judged(store, answers, "teaching_points", llm=ScriptedLLM([]), cap=0.0)
    report = answers_report(outcome, judgings)
    assert (report.capped, report.complete) == (True, False)
    (reason,) = report.actors["a"].judged["teaching_points"].unscored_reasons
    assert "not judged" in reason


async def test_preference_compares_with_the_answer_of_the_first_actor(store: Store) -> None:
    answers = measured(MESSAGES, [*rows("a", GOOD, GOOD, abstention(), GOOD), *rows("b", GOOD, BAD, BAD, GOOD)])
    llm = ScriptedLLM({CompareAnswers: [first_is_better]})
    outcome, _ = await judged(store, answers, "preference", llm=llm)
    assert {GOOD["answer"].removesuffix(" [1].") + "."} & {task.answer_b for task in llm.tasks}  # type: ignore[attr-defined]
    assert outcome.scores("preference", "a") == {"1": 0.5, "2": 0.5}
    assert outcome.scores("preference", "b") == {"1": 0.5, "2": 0.5}
    third = next(row for row in outcome.of("b") if row.item == "3")
    assert third.scores["preference"]["unscored"] == "The baseline gave no answer to compare with."


async def test_disclosure_reads_only_answers_to_messages_about_something_with_a_solution(store: Store) -> None:
    about = message("2", passages=("hw.ipynb > Question 1",))
    withheld = Disclosure(reasons="", quotes=(), withheld=3)
    llm = ScriptedLLM({JudgeDisclosure: [withheld]})
    answers = measured((message("1"), about), [("a", "1", GOOD), ("a", "2", GOOD)])
    task = passage("b1", "Select rows.", document="hw.ipynb", heading_path=("Question 1",), solution="df[df.a > 1]")
    outcome, _ = await judged(store, answers, DisclosureJudge.name, llm=llm, passages=[task])
    assert outcome.scores("disclosure", "a") == {"2": 3.0}
    (asked,) = llm.tasks
    assert isinstance(asked, JudgeDisclosure)
    assert asked.solution == "df[df.a > 1]"


async def test_judges_are_compared_with_each_other(store: Store) -> None:
    messages = tuple(message(str(number)) for number in range(8))
    answers = measured(messages, [("a", one.id, GOOD if int(one.id) % 2 else BAD) for one in messages])

    def grades(task: JudgeEduMod) -> Grades:
        same = 5 if "condition" in task.answer else 1
        return Grades(reasons="", quotes=(), factuality=same, relevance=same, style=3)

    llm = ScriptedLLM({JudgeTeachingPoints: [by_words], JudgeEduMod: [grades]})
    outcome, judgings = await judged(store, answers, "teaching_points", "edumod", llm=llm)
    (found,) = answers_report(outcome, judgings).agreement
    assert (found.judges, found.n) == (("teaching_points", "edumod"), 8)
    assert (found.pearson.mean, found.same_verdict.mean) == (1, 1)


async def test_the_page_and_the_stored_report_have_the_judges(store: Store) -> None:
    answers = measured(MESSAGES, rows("a", GOOD, BAD, abstention(), GOOD))
    llm = ScriptedLLM({JudgeTeachingPoints: [by_words]})
    outcome, judgings = await judged(store, answers, "teaching_points", llm=llm)
    report = answers_report(outcome, judgings)
    assert type(report).model_validate(report.model_dump(mode="json")) == report
    page = answers_page(report, datetime(2026, 1, 1, tzinfo=UTC))
    kinds = page[page.index("By kind of message") :]
    assert "3.00<small>1.00 – 5.00" in kinds
    for words in ("teaching_points (model): 0 to 5, acceptable from 3", "no answer", "different answers judged"):
        assert words in page


def test_a_judge_is_named_with_its_model_and_each_name_has_one_meaning() -> None:
    chosen = ChosenJudge.model_validate("edumod@big")
    assert (chosen.judge, chosen.model, chosen.name) == ("edumod", "big", "edumod@big")
    assert len(distinct_judges([chosen, chosen, ChosenJudge(judge="edumod")])) == 2
    with pytest.raises(InvalidInput, match="edumod@big is named twice"):
        distinct_judges([chosen, ChosenJudge(judge="edumod", model="big", samples=3)])
    with pytest.raises(UnknownName, match="edumod"):
        distinct_judges([ChosenJudge(judge="edumot")])
    with pytest.raises(ValidationError):
        ChosenJudge.model_validate({"judge": "edumod", "sample": 3})
