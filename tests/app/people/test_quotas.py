"""Quotas of keys and courses, counted in the database."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from core.access import Permission
from core.course import Course
from core.errors import ModelUnavailable, QuotaExceeded
from core.llm.base import DEFAULT_SAMPLING, Reply, Sampling
from core.llm.scripted import ScriptedLLM
from core.llm.task import Out, Task
from core.quotas import Charge, Counted, KeyQuotas, Quotas, Subject, charges_of_question, may_cost, period_of, reset_of
from core.settings import ModelPrice
from core.store.people.keys import NewKey
from core.store.store import Store
from tasks import ChooseFunctions, WriteAnswer
from tests.app.asking import calls, request, written
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers
from tests.servers.homes import database_of

ON_EACH_DATABASE = True
QUESTION = {"course": "small", "question": {"body": "When is homework 3 due?"}}


def limited(home: Path, **limits: float) -> dict[str, str]:
    """The headers of a request with a key that has these quotas."""

    async def make() -> str:
        store = await Store.open(database_of(home))
        scopes = (Permission.ANSWER, Permission.DRAFTS_READ, Permission.DRAFTS_DECIDE)
        _, key = await store.keys.create(NewKey("forum bot", scopes, ("small",), limits=limits))
        await store.aclose()
        return key

    return headers(asyncio.run(make()))


def answered(client: httpx.Client, sent: dict[str, str], **more: str) -> httpx.Response:
    return client.post("/answer", json=QUESTION, headers=sent | more)


def test_requests_over_the_quota_of_a_key_are_refused_with_the_time_of_its_reset(home: Path) -> None:
    sent = limited(home, requests_a_day=3)
    with live(settings_in(home)) as client:
        statuses = [client.get("/courses", headers=sent).status_code for _ in range(3)]
        refused = client.get("/courses", headers=sent)
    assert statuses == [200] * 3
    assert (refused.status_code, refused.json()["type"]) == (429, "urn:edumod:problem:quota-exceeded")
    assert "forum bot has used up the 3 requests of today" in refused.json()["detail"]
    assert "00:00 UTC" in refused.json()["detail"]
    assert 0 < int(refused.headers["retry-after"]) <= 86_400


def test_of_many_questions_at_once_as_many_are_answered_as_the_quota_allows(home: Path) -> None:
    sent = limited(home, questions_a_day=4)
    with live(settings_in(home)) as client, ThreadPoolExecutor(10) as pool:
        statuses = list(pool.map(lambda _: answered(client, sent).status_code, range(10)))
    assert sorted(statuses) == [200] * 4 + [429] * 6


def test_a_repeated_question_does_not_count(home: Path) -> None:
    sent = limited(home, questions_a_day=2) | {"Idempotency-Key": uuid4().hex}
    with live(settings_in(home)) as client:
        assert [answered(client, sent).status_code for _ in range(5)] == [200] * 5
        statuses = [answered(client, {**sent, "Idempotency-Key": uuid4().hex}).status_code for _ in range(2)]
    assert statuses == [200, 429]


def test_a_search_in_a_course_counts_like_a_question_and_the_page_alone_does_not(home: Path) -> None:
    sent = limited(home, questions_a_day=1)
    with live(settings_in(home)) as client:
        assert [client.get("/courses/small", headers=sent).status_code for _ in range(3)] == [200] * 3
        statuses = [client.get("/courses/small?q=homework", headers=sent).status_code for _ in range(2)]
    assert statuses == [200, 429]


@pytest.mark.parametrize("quota", [{"questions_a_day": 1}, {"dollars_a_month": 0.0}])
async def test_the_quota_of_a_course_holds_for_all_who_ask(
    tmp_path: Path, material: Path, each_database: None, quota: dict[str, Any]
) -> None:
    home = tmp_path / "home"
    course = Course(id="small", title="Small", quotas=Quotas.model_validate(quota))
    await ingest_all(settings_in(home), material, course)

    def ask() -> list[httpx.Response]:
        with live(settings_in(home)) as client:
            return [client.post("/answer", json=QUESTION) for _ in range(2)]

    *_, refused = await asyncio.to_thread(ask)
    assert refused.status_code == 429
    assert "The course small has used up" in refused.json()["detail"]


def test_what_models_cost_counts_for_the_key_and_its_course(home: Path) -> None:
    llm = ScriptedLLM({ChooseFunctions: [calls("logistics_retrieval")] * 2, WriteAnswer: [written()] * 2})
    prices = {"scripted": ModelPrice(input=5000, output=0)}
    sent = limited(home, dollars_a_month=1.0)
    with live(settings_in(home, llm_prices=prices), llm) as client:
        before = used(home, "course:small")
        first = client.post("/answer", json=request(), headers=sent)
        refused = client.post("/answer", json=request(), headers=sent)
    assert (first.status_code, first.json()["usage"]["cost_usd"]) == (200, 1.0)
    assert (refused.status_code, "the $1 of this month" in refused.json()["detail"]) == (429, True)
    assert used(home, "course:small")[Counted.DOLLARS] - before[Counted.DOLLARS] == pytest.approx(1.0)


def used(home: Path, subject: str) -> dict[Counted, float]:
    async def read() -> dict[Counted, float]:
        store = await Store.open(database_of(home))
        found = await store.usage.of(subject)
        await store.aclose()
        return found

    return asyncio.run(read())


async def test_a_use_that_one_quota_refuses_counts_for_none(database_url: str) -> None:
    store = await Store.open(database_url)
    roomy = Subject("course:a", "a", Quotas(questions_a_day=9))
    full = Subject("key:b", "b", KeyQuotas(questions_a_day=0))
    with pytest.raises(QuotaExceeded):
        await store.usage.take([charge for one in (roomy, full) for charge in charges_of_question(one)])
    assert (await store.usage.of("course:a"))[Counted.QUESTIONS] == 0
    charges = list(charges_of_question(roomy))
    await store.usage.take(charges)
    await store.usage.give_back(await store.usage.take(charges))
    assert (await store.usage.of("course:a"))[Counted.QUESTIONS] == 1
    await store.aclose()


def test_a_repeated_question_is_answered_although_the_quota_is_used_up(home: Path) -> None:
    sent = limited(home, questions_a_day=1) | {"Idempotency-Key": uuid4().hex}
    with live(settings_in(home)) as client:
        first, again = (answered(client, sent) for _ in range(2))
        other = client.post("/answer", json={**QUESTION, "question": {"body": "Who teaches?"}}, headers=sent)
        new = answered(client, {**sent, "Idempotency-Key": uuid4().hex})
    assert [one.status_code for one in (first, again, other, new)] == [200, 200, 422, 429]
    assert again.json()["answer"] == first.json()["answer"]


class Slow(ScriptedLLM):
    """Chooses and writes without end, each question only when told to."""

    def __init__(self) -> None:
        super().__init__({ChooseFunctions: [calls("logistics_retrieval")] * 99, WriteAnswer: [written()] * 99})
        self.gate = threading.Event()

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        await asyncio.to_thread(self.gate.wait, 60)
        return await super().run(task, sampling)


def test_of_questions_at_once_no_more_are_answered_than_the_dollars_that_are_left_may_pay_for(home: Path) -> None:
    llm, prices = Slow(), {"scripted": ModelPrice(input=5000, output=0)}
    sent = limited(home, dollars_a_month=1.0)
    with live(settings_in(home, llm_prices=prices), llm) as client, ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(client.post, "/answer?pipeline=fc", json=request(), headers=sent) for _ in range(10)]
        refused = next(as_completed(asked, 60)).result()
        llm.gate.set()
        statuses = [one.result().status_code for one in asked]
    assert sorted(statuses) == [200] + [429] * 9
    assert "reserved for questions that are being answered" in refused.json()["detail"]
    assert int(refused.headers["retry-after"]) < 60


def test_what_a_failed_question_had_reserved_is_free_again(home: Path) -> None:
    llm = ScriptedLLM(
        {ChooseFunctions: [ModelUnavailable("It is away."), calls("logistics_retrieval")], WriteAnswer: [written()]}
    )
    sent = limited(home, dollars_a_month=1.0)
    with live(settings_in(home, llm_prices={"scripted": ModelPrice(input=5000, output=0)}), llm) as client:
        for _ in range(2):
            status = client.post("/answer?pipeline=fc", json=request(), headers=sent).status_code
    assert status == 200


def test_whoever_has_a_failed_question_answered_again_pays_for_it(home: Path) -> None:
    llm = ScriptedLLM({ChooseFunctions: [ModelUnavailable("It is away.")] * 9})
    asker, poor = limited(home), limited(home, dollars_a_month=0.0)
    with live(settings_in(home), llm) as client:
        failed = client.post("/answer?pipeline=fc", json=request(), headers=asker).json()["draft_id"]
        refused = client.post(f"/drafts/{failed}/retry", headers=poor)
    assert (refused.status_code, "has used up the $0 of this month" in refused.json()["detail"]) == (429, True)


async def test_what_a_process_had_reserved_that_died_is_free_again(database_url: str) -> None:
    limited_key = Subject("key:b", "b", KeyQuotas(dollars_a_month=1.0))
    store, dead = await Store.open(database_url), await Store.open(database_url)
    charges = list(charges_of_question(limited_key, dollars=0.75))
    await dead.usage.take(charges)
    with pytest.raises(QuotaExceeded, match="reserved"):
        await store.usage.take(charges)
    await dead.processes.end()
    taken = await store.usage.take(charges)
    with pytest.raises(QuotaExceeded, match="reserved"):
        await store.usage.take(charges)
    await store.usage.release(taken)
    await store.usage.take(charges)
    for one in (store, dead):
        await one.aclose()


async def test_more_is_left_than_a_question_may_cost_for_as_many_as_fit(database_url: str) -> None:
    store = await Store.open(database_url)
    charges = list(charges_of_question(Subject("course:c", "c", Quotas(dollars_a_month=1.0)), dollars=0.4))
    await store.usage.take(charges)
    await store.usage.take(charges)
    with pytest.raises(QuotaExceeded):
        await store.usage.take(charges)
    await store.aclose()


def test_a_price_that_is_unknown_reserves_nothing() -> None:
    assert may_cost(None, 40_000) == 0.0
    assert may_cost(ModelPrice(input=1.0, output=2.0), 40_000) == pytest.approx(0.048)


@pytest.mark.parametrize(
    ("counted", "period", "reset"),
    [(Counted.QUESTIONS, "2026-12-31", datetime(2027, 1, 1, tzinfo=UTC)),
     (Counted.DOLLARS, "2026-12", datetime(2027, 1, 1, tzinfo=UTC))],
)  # fmt: skip
def test_periods_end_with_the_day_and_the_month(counted: Counted, period: str, reset: datetime) -> None:
    moment = datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    assert (period_of(counted, moment), reset_of(counted, moment)) == (period, reset)


def test_a_charge_says_in_plain_words_what_is_used_up() -> None:
    charge = Charge(Subject("key:1", "forum bot", Quotas()), Counted.DOLLARS, 12.5, 0)
    assert "forum bot has used up the $12.50 of this month. Ask again after " in str(charge.quota_error())
