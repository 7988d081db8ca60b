"""Attacks: what they make, and judges that are fooled by them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.errors import CannotTell, InvalidInput
from core.llm.base import LLM
from core.llm.models import NamedModel
from core.llm.offline import OfflineLLM
from core.llm.scripted import ScriptedLLM
from core.store.store import Store
from eval.attacks import ATTACKS, HARMLESS, variations
from eval.attacks.base import AttackMaterial, Make
from eval.attacks.evaluation import attack_plan, attacked
from eval.attacks.limits import AttackLimit, read_limits
from eval.attacks.report import AttackReport, attack_report
from eval.attacks.statements import negated, numbers, other_numbers
from eval.datasets.judged import read_judged
from eval.request import evaluate
from eval.runner import RunLimits, Runner
from judging import JUDGES, judge_named
from judging.answers import JudgedAnswer
from judging.computed.verdicts import COMPUTED_RULES
from judging.tasks import CompareAnswers, JudgeTeachingPoints, TeachingPoints
from tests.judging import scripted
from tests.judging.judged import answers
from tests.sweeps import choose

OURS = Path(__file__).parents[3] / "data/ds101/labels/judges"


async def under_attack(store: Store, reply: Callable[[Any], TeachingPoints]) -> AttackReport:
    llm: LLM = ScriptedLLM({JudgeTeachingPoints: [reply]})
    judge, limits = judge_named("teaching_points"), read_limits()
    made = attacked(answers(24), judge, limits)
    return await evaluate(
        Runner(store.evaluations, llm, {}),
        attack_plan(judge, made, NamedModel("scripted", llm, "scripted")),
        lambda outcome: attack_report(outcome, judge, made, limits),
        RunLimits(8),
        lambda _done, _all: None,
    )


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("teaching_points", "."),
        ("edumod", "."),
        ("grounded", "grounded"),
        ("disclosure", "disclosure"),
        ("preference", "."),
    ],
)
async def test_the_computed_judges_withstand_the_attacks_on_our_answers(store: Store, name: str, folder: str) -> None:
    judge, limits = judge_named(name), read_limits().model_copy(update={"max_items": 24})
    made = attacked(read_judged(OURS / folder, name), judge, limits)
    llm = OfflineLLM(COMPUTED_RULES)
    outcome = await Runner(store.evaluations, llm, {}).run(
        attack_plan(judge, made, NamedModel("offline", llm, "offline"))
    )
    report = attack_report(outcome, judge, made, limits)
    assert report.failed == ()
    assert report.form == "computed"


def test_every_attack_has_a_limit_and_a_name_of_its_own() -> None:
    names = [attack.name for attack in (*ATTACKS, *HARMLESS)]
    assert len(set(names)) == len(names)
    assert set(read_limits().attacks) == {attack.name for attack in ATTACKS}
    assert all(judge.spared <= set(names) for judge in JUDGES)


def test_the_same_seed_makes_the_same_attacks() -> None:
    judge, limits = judge_named("teaching_points"), read_limits()
    first, second, other = (attacked(answers(24), judge, limits, seed).dataset.digest for seed in (1, 1, 2))
    assert first == second != other


def test_an_attack_that_cannot_be_made_often_enough_is_not_applicable() -> None:
    found = attacked(answers(24), judge_named("teaching_points"), read_limits())
    assert {"passage_pasted", "spelling"} <= set(found.not_applicable)
    assert {"shuffled", "numbers_changed", "order_of_points"} <= set(found.changed)


def test_a_judge_is_spared_what_its_rubric_accepts() -> None:
    grounded = attacked(answers(24), judge_named("grounded"), read_limits())
    assert not {"first_half", "empty"} & {*grounded.changed, *grounded.not_applicable}


def test_a_solution_with_tricks_is_the_attack_on_disclosure() -> None:
    found = attacked(answers(24), judge_named("disclosure"), read_limits())
    item = answers(24).dataset.items[0]
    assert item.reference in found.changed["injected_score"][item.id].answer


def test_a_preference_is_attacked_by_comparing_with_the_good_answer() -> None:
    made = attacked(answers(24), judge_named("preference"), read_limits())
    for good in made.good:
        assert made.changed["shuffled"][good.id].rival == good.rival == good.answer


def test_too_few_good_answers_are_refused_with_the_number() -> None:
    with pytest.raises(InvalidInput, match="has 3 good answers"):
        attacked(answers(30, good=3), judge_named("edumod"), read_limits())


async def test_a_careful_judge_passes_and_a_lenient_one_fails_everything(store: Store) -> None:
    right = {item.question: item.answer for item in answers(24).dataset.items}

    def careful(task: JudgeTeachingPoints) -> TeachingPoints:
        words, wanted = set(task.answer.lower().split()), set(right[task.question].lower().split())
        return scripted.points(5 if task.answer == right[task.question] else 2 if words & wanted else 0)

    report = await under_attack(store, careful)
    assert all(one.passed and one.accepted == 0 for one in report.attacks.values())
    lenient = await under_attack(store, scripted.constant)
    assert not any(one.passed for one in lenient.attacks.values())
    assert all(one.passed for one in lenient.harmless.values())
    assert {one.auc for one in lenient.attacks.values()} == {0.5}


async def test_a_judge_that_cannot_tell_accepts_nothing_and_fails_if_it_refuses_everything(store: Store) -> None:
    right = {item.question: item.answer for item in answers(24).dataset.items}

    def unsure(task: JudgeTeachingPoints) -> TeachingPoints:
        if task.answer != right[task.question] and set(task.answer.split()) & set(right[task.question].split()):
            raise CannotTell("A word differs.", "Estimate 4.8.", 0.96)
        return scripted.points(5 if task.answer == right[task.question] else 0)

    report = await under_attack(store, unsure)
    assert report.intact is not None
    assert (report.intact.accepted, report.intact.unscored) == (1, 0)
    assert (report.attacks["negated"].accepted, report.attacks["negated"].unscored) == (0, 24)
    assert report.attacks["negated"].passed

    def refuse(_task: JudgeTeachingPoints) -> TeachingPoints:
        raise CannotTell("Nothing is certain.", "", 0.5)

    refused = await under_attack(store, refuse)
    assert "intact" in refused.failed
    assert not any(one.passed for one in refused.attacks.values() if one.limit.auc is not None)


def test_an_attack_without_a_limit_in_the_file_is_not_made() -> None:
    limits = read_limits()
    known = {name: limit for name, limit in limits.attacks.items() if name != "shuffled"}
    made = attacked(answers(24), judge_named("teaching_points"), limits.model_copy(update={"attacks": known}))
    assert "shuffled" not in {*made.changed, *made.not_applicable}


def test_a_limit_asks_for_the_auc_and_for_the_share_accepted() -> None:
    both = AttackLimit(auc=0.7, accepted=0.1)
    assert both.allows(0.7, 0.1)
    assert not both.allows(0.9, 0.2)
    assert not both.allows(0.6, 0.0)
    assert not both.allows(None, 0.0)
    with pytest.raises(ValidationError):
        AttackLimit()


@pytest.mark.parametrize(
    ("make", "answer", "changed"),
    [
        (variations.doubted, "A stack keeps the order. It is fast.", "A stack fails to keep the order. It is "),
        (variations.opposite_words, "It allows faster access.", "It prevents slower access."),
        (variations.roles_swapped, "The compiler translates every program.", "The program translates every compiler."),
    ],
)
def test_other_attacks_change_the_meaning_too(make: Make, answer: str, changed: str) -> None:
    item = JudgedAnswer(id="x", question="Q?", reference="A compiler and a program.", answer=answer)
    made = make(AttackMaterial(item, (), Random(0)))
    assert made is not None
    assert made.startswith(changed)


@pytest.mark.parametrize("reply", choose([scripted.lenient, scripted.random, scripted.long_is_good], scripted.lenient))
async def test_bad_judges_fail(store: Store, reply: Callable[[Any], TeachingPoints]) -> None:
    report = await under_attack(store, reply)
    assert not report.passed
    assert not report.attacks["padded"].passed


async def test_a_judge_that_prefers_what_comes_first_fails(store: Store) -> None:
    llm: LLM = ScriptedLLM({CompareAnswers: [scripted.first_is_better]})
    judge, limits = judge_named("preference"), read_limits()
    made = attacked(answers(24), judge, limits)
    outcome = await Runner(store.evaluations, llm, {}).run(
        attack_plan(judge, made, NamedModel("scripted", llm, "scripted"))
    )
    report = attack_report(outcome, judge, made, limits)
    assert {one.auc for one in report.attacks.values() if one.limit.auc is not None} == {0.5}
    assert not any(one.passed for one in report.attacks.values() if one.limit.auc is not None)


@given(st.text(max_size=80))
def test_attacks_take_any_text(answer: str) -> None:
    good = answers(3).dataset.items
    item = JudgedAnswer(id="x", question="Q?", reference="R is 3.", answer=answer, passages=("P",))
    for attack in (*ATTACKS, *HARMLESS):
        attack.apply(item, good, 0)


def test_statements_are_changed_in_meaning() -> None:
    assert negated("Labs have no slip days. They are due on Monday.").endswith("They are not due on Monday.")
    assert negated("It can't be late.") == "It can be late."
    known = numbers("It takes 12 or two days.")
    assert known == {"12", "two"}
    changed = other_numbers("It takes 12 or two days, not 7.", known, Random(0))
    assert changed is not None
    assert "12" not in changed
    assert "7" in changed
    assert other_numbers("No number.", known, Random(0)) is None
