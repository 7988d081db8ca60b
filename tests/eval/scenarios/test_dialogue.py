"""Agents speak by turns, and each is sent what its dialect says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from eval.scenarios.conversation import Conversation, converse
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.reading import read_scenario
from eval.scenarios.scenario import Agent, Scenario
from tests.eval.scenarios.samples import NEW, OLD, written

Sent = list[tuple[str, list[tuple[str, str]]]]


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def held(scenario: Scenario, *replies: str, task: int = 0) -> tuple[Dialogue, Sent]:
    """The dialogue in which the agents say these replies by turns, and what each was sent."""
    left, sent = list(replies), []

    async def speak(agent: Agent, conversation: Conversation) -> Turn:
        sent.append((agent.name, [(one.role, one.content) for one in conversation.messages(agent)]))
        return Turn(agent=agent.name, content=left.pop(0))

    return asyncio.run(converse(scenario, scenario.tasks[task], speak)), sent


def test_an_old_dialogue_sends_the_prompt_and_the_last_turns(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, OLD))
    dialogue, sent = held(scenario, "one", "<think>hm</think>two", "three", "four", "bye")
    prompt = [("system", "Teach joins {unknown}"), ("user", "About joins")]
    assert sent == [
        ("teacher", [*prompt, ("user", "Explain joins")]),
        ("student", [("system", "Learn joins"), ("user", "Explain joins"), ("user", "one")]),
        ("teacher", [*prompt, ("user", "Explain joins"), ("assistant", "one"), ("user", "two")]),
        (
            "student",
            [
                ("system", "Learn joins"),
                ("user", "Explain joins"),
                ("user", "one"),
                ("assistant", "two"),
                ("user", "three"),
            ],
        ),
        ("teacher", [*prompt, ("user", "two"), ("assistant", "three"), ("user", "four")]),
    ]
    assert not dialogue.is_partial


def test_a_new_dialogue_sends_each_agent_its_own_exchanges(tmp_path: Path) -> None:
    _, sent = held(read_scenario(written(tmp_path, NEW)), "one", "two", "bye")
    system = ("system", "Teach joins in {braces} {topic.__class__}")
    assert sent == [
        ("teacher", [system, ("user", "Explain joins")]),
        ("student", [("system", "Learn joins"), ("user", "one")]),
        ("teacher", [system, ("user", "Explain joins"), ("assistant", "one"), ("user", "two")]),
    ]


@pytest.mark.parametrize("text", [OLD, NEW])
def test_the_turn_limit_ends_a_dialogue_as_partial(tmp_path: Path, text: str) -> None:
    dialogue, _ = held(read_scenario(written(tmp_path, text)), *("go on" for _ in range(9)))
    assert (len(dialogue.turns), dialogue.is_partial) == (6, True)


@pytest.mark.parametrize(("number", "shown"), [(1, "Learn 3"), (2, "Learn true"), (3, "Learn ")])
def test_numbers_truth_values_and_null_are_variables_too(tmp_path: Path, number: int, shown: str) -> None:
    _, sent = held(read_scenario(written(tmp_path, OLD)), "one", "two", "bye", task=number)
    assert sent[1][1][0] == ("system", shown)


def test_what_a_model_thought_is_kept_apart_from_what_it_said() -> None:
    assert Turn(agent="a", content="<think>hm</think>\n\nso").parts == ("<think>hm", "so")
    assert Turn(agent="a", content=" so ").parts == ("", "so")
