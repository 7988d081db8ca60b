"""The client package: generated from the API, typed, patient; against a real server and a failing one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from edumod_client import ApiError, AsyncClient, Client, WrongSignature, api, models, verify_webhook

from app.webhooks.http_delivery import signature
from tests.app.live import live, settings_in
from tests.app.people.actors import ACTORS, made_key
from tests.servers.homes import rows

PACKAGE = Path(__file__).parents[3] / "clients" / "python"
ASK = models.AnswerRequest(course="small", question=models.QuestionIn(body="When is homework 3 due?"))
PROBLEM = {
    "type": "urn:edumod:problem:model-unavailable",
    "title": "Model unavailable",
    "status": 503,
    "detail": "Wait.",
}


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    with live(settings_in(home)) as client:
        yield client


@pytest.fixture(scope="module")
def key(home: Path) -> str:
    return made_key(home, *ACTORS["instructor"], name="client")


@pytest.fixture
def client(server: httpx.Client, key: str) -> Iterator[Client]:
    with Client(str(server.base_url), key) as client:
        yield client


def test_it_is_what_the_api_generates(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(PACKAGE / "generate.py"), "--into", str(tmp_path)], check=True)
    for name in ("models.py", "api.py"):
        committed = (PACKAGE / "src" / "edumod_client" / name).read_text(encoding="utf-8")
        assert committed == (tmp_path / name).read_text(encoding="utf-8"), "Run: python clients/python/generate.py"


def test_its_types_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "src/edumod_client"],
        cwd=PACKAGE, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_a_question_is_answered_and_read_again_with_types(client: Client) -> None:
    reply = client.send(api.answer(ASK, pipeline="fc", retriever_qa="bm25"))
    assert (reply.status, "19 February" in reply.answer) == ("answered", True)
    assert reply.configuration.retrievers is not None
    assert reply.configuration.retrievers["qa"] == "bm25"
    stored = client.send(api.stored_answer(reply.draft_id))
    assert stored.created_at.tzinfo is not None
    assert [course.id for course in client.send(api.courses())] == ["small"]
    listed = client.send(api.drafts(course="small", state="pending"))
    assert reply.draft_id in {draft.id for draft in listed.drafts}


def test_a_call_without_content_gives_none_and_one_of_text_the_text(client: Client) -> None:
    reply = client.send(api.answer(ASK))
    assert client.send(api.vote(reply.draft_id, models.VoteIn(helpful=True))) is None
    assert "<feed" in client.send(api.draft_feed())


def test_a_key_of_ones_own_makes_a_repetition_the_same_answer(client: Client, home: Path) -> None:
    drafts = [client.send(api.answer(ASK), key="thread-77").draft_id for _ in range(2)]
    assert drafts[0] == drafts[1]
    assert client.send(api.answer(ASK)).draft_id != drafts[0]
    assert rows(home, "SELECT count(*) FROM draft WHERE id = :id", id=drafts[0]) == [(1,)]


def test_an_answer_may_come_later(client: Client) -> None:
    begun = client.send(api.begin_answer(ASK))
    assert begun.draft_url.endswith(begun.draft_id)


def test_a_problem_is_raised_with_the_services_words(client: Client) -> None:
    with pytest.raises(ApiError, match="small alone"):
        client.send(api.answer(ASK.model_copy(update={"course": "none"})))
    with pytest.raises(ApiError) as missing:
        client.send(api.trace("x/../y"))
    assert (missing.value.status, missing.value.code) == (404, "not-found")


async def test_the_async_client_does_the_same(server: httpx.Client, key: str) -> None:
    async with AsyncClient(str(server.base_url), key) as client:
        reply = await client.send(api.answer(ASK))
        with pytest.raises(ApiError):
            await client.send(api.trace("none"))
    assert "19 February" in reply.answer


class Failing:
    """A service that fails in these ways, then answers; keeps what it was sent."""

    def __init__(self, *failures: httpx.Response | Exception) -> None:
        self.failures = list(failures)
        self.got: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.got.append(request)
        failure = (
            self.failures.pop(0) if self.failures else httpx.Response(200, json={"draft_id": "d", "draft_url": "u"})
        )
        if isinstance(failure, Exception):
            raise failure
        return failure


def busy(status: int = 503, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=PROBLEM, headers=headers or {"Retry-After": "0"})


def client_of(service: Failing) -> Client:
    return Client("http://edumod", "k", transport=httpx.MockTransport(service))


def test_a_question_is_repeated_with_its_key_until_it_is_taken() -> None:
    service = Failing(busy(), busy(429, **{"Retry-After": "0"}))
    client_of(service).send(api.begin_answer(ASK))
    keys = {request.headers["Idempotency-Key"] for request in service.got}
    assert (len(service.got), len(keys)) == (3, 1)
    assert len({request.content for request in service.got}) == 1


async def test_the_async_client_repeats_it_too() -> None:
    service = Failing(busy(), httpx.Response(502, text="<html>", headers={"Retry-After": "0"}))
    async with AsyncClient("http://edumod", "k", transport=httpx.MockTransport(service)) as client:
        await client.send(api.begin_answer(ASK))
    assert len(service.got) == 3


def test_what_may_not_be_done_twice_is_not_repeated() -> None:
    service = Failing(busy())
    with pytest.raises(ApiError, match="Wait"):
        client_of(service).send(api.decide("d", models.DecisionIn(text="Yes.")))
    assert len(service.got) == 1


def test_what_will_not_pass_is_not_repeated() -> None:
    for failure in (busy(422), busy(503, **{"Retry-After": "3600"})):
        service = Failing(failure)
        with pytest.raises(ApiError):
            client_of(service).send(api.begin_answer(ASK))
        assert len(service.got) == 1


def test_fields_and_values_of_a_newer_service_are_accepted() -> None:
    known = json.loads(models.AcceptedOut(draft_id="d", draft_url="u").model_dump_json())
    service = Failing(httpx.Response(200, json=[{"id": "x", "title": "X", "language": "en", "new": 1, **known}]))
    assert "Literal" in str(models.AnswerResponse.model_fields["status"].annotation)
    assert "str" in str(models.AnswerResponse.model_fields["status"].annotation)
    with pytest.raises(ValueError, match="course"):  # But what is missing is not invented.
        client_of(service).send(api.answer(models.AnswerRequest.model_validate({"question": {"body": "x"}})))


def test_a_webhooks_message_is_verified_as_it_is_signed() -> None:
    body, now = b'{"event": "draft.decided"}', int(time.time())
    assert verify_webhook("s", signature("s", body, now), body) == {"event": "draft.decided"}
    wrong: list[Any] = [("t", signature("s", body, now), body), ("s", signature("s", body, now), body + b" ")]
    wrong += [("s", signature("s", body, now - 600), body), ("s", "", body), ("s", f"t={now},v1=é", body)]
    for secret, sent, content in wrong:
        with pytest.raises(WrongSignature):
            verify_webhook(secret, sent, content)
