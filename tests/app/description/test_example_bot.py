"""`docs/examples/bot.py` against a running service."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.docs import DOCS
from core.errors import ModelDeclined, ModelRefused, ModelUnavailable
from core.llm.scripted import ScriptedLLM
from core.types import Status
from tasks import WrittenAnswer
from tests.app.asking import calls, request, written
from tests.app.live import live, settings_in

BOT = DOCS / "examples" / "bot.py"


@pytest.fixture(scope="module")
def bot() -> Any:
    spec = importlib.util.spec_from_file_location("bot", BOT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["bot"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ended(status: str, answer: str = "") -> list[Any]:
    found = WrittenAnswer.model_validate(
        {"status": status, "statements": [{"text": answer}] if answer else [], "confidence": 0.5}
    )
    return [calls("logistics_retrieval"), found]


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_the_bot_asks_from_the_command_line(client: httpx.Client, options: tuple[str, ...]) -> None:
    command = [sys.executable, str(BOT), str(client.base_url), "small", "When is homework 3 due?", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "19 February" in done.stdout
    assert "answered: show the draft to a teaching assistant" in done.stdout


@pytest.mark.parametrize("options", [(), ("--stream",)])
def test_what_is_refused_is_told_in_a_sentence_on_the_command_line(
    client: httpx.Client, options: tuple[str, ...]
) -> None:
    command = [sys.executable, str(BOT), str(client.base_url), "none", "When is homework 3 due?", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("422 urn:edumod:problem:unknown-name: There is no course 'none'")
    assert "Traceback" not in done.stderr


def test_a_service_that_cannot_be_reached_is_told_in_a_sentence(bot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "TRIES", 1)
    monkeypatch.setattr(sys, "argv", ["bot.py", "http://127.0.0.1:9", "small", "When?"])
    with pytest.raises(SystemExit, match=r"http://127.0.0.1:9 cannot be reached"):
        bot.main()


def test_the_bot_knows_what_to_do_with_every_status(bot: Any) -> None:
    assert set(bot.ACTIONS) == {status.value for status in Status}
    assert bot.action({"status": "of_a_newer_service"}) == "leave the question to the staff"


@pytest.mark.parametrize(
    ("lines", "asked", "status"),
    [
        ([calls("logistics_retrieval"), written()], {}, "answered"),
        (ended("abstained"), {}, "abstained"),
        (ended("needs_clarification", "Which homework?"), {}, "needs_clarification"),
        (ended("no_response_needed"), {}, "no_response_needed"),
        ([calls("logistics_retrieval"), ModelDeclined("No.")], {}, "blocked"),
        ([], {"author": {"consent": False}}, "consent_required"),
    ],
)
def test_every_status_is_met(home: Path, bot: Any, lines: list[Any], asked: dict[str, Any], status: str) -> None:
    with live(settings_in(home), ScriptedLLM(lines)) as client:
        answer = bot.Bot(client).ask(request(**asked), pipeline="fc")
    assert answer["status"] == status
    assert bot.action(answer) == bot.ACTIONS[status]


def test_what_fails_for_a_while_is_asked_again_with_its_key_and_answered_once(home: Path, bot: Any) -> None:
    waited: list[float] = []
    down = ModelUnavailable("It is down.", retry_after=7)
    with live(
        settings_in(home), ScriptedLLM([down, calls("logistics_retrieval"), down, *ended("abstained")])
    ) as client:
        found = bot.Bot(client, waited.append)
        answer = found.ask(request(), "post-42", pipeline="fc")
        again = found.ask(request(), "post-42", pipeline="fc")
        asked = [name for name, _ in found.stream(request(), "post-42", pipeline="fc")]
    assert waited == [7.0, 7.0]
    assert answer["draft_id"] == again["draft_id"]
    assert asked[-1] == "done"


def test_a_request_that_is_wrong_is_not_sent_again(home: Path, bot: Any) -> None:
    waited: list[float] = []
    with live(settings_in(home), ScriptedLLM([])) as client:
        found = bot.Bot(client, waited.append)
        for refused in (found.ask, lambda *args: list(found.stream(*args))):
            with pytest.raises(bot.Refused, match=r"422 urn:edumod:problem:unknown-name: There is no course 'none'"):
                refused({"course": "none", "question": {"body": "?"}}, "post-43")
    assert waited == []


def test_an_error_within_a_stream_is_raised(home: Path, bot: Any) -> None:
    llm = ScriptedLLM([calls("logistics_retrieval"), ModelRefused("No such model.")])
    with live(settings_in(home), llm) as client, pytest.raises(bot.Refused, match="model-refused"):
        list(bot.Bot(client).stream(request(), pipeline="fc"))


def test_a_service_that_stays_away_is_told_after_the_last_try(bot: Any) -> None:
    waited: list[float] = []
    with httpx.Client(base_url="http://127.0.0.1:9") as client, pytest.raises(httpx.ConnectError):
        bot.Bot(client, waited.append).ask(request())
    assert waited == [1.0, 2.0, 4.0, 8.0]
