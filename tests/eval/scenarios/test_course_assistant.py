"""The product takes part in a dialogue as it does in a forum thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.types import Message, Role
from eval.scenarios.conversation import Conversation
from eval.scenarios.course_assistant import asked_of
from eval.scenarios.dialogue import Turn
from eval.scenarios.reading import read_scenario
from tests.eval.scenarios.samples import COURSE, written


def test_the_first_message_is_the_question_and_its_own_turns_are_those_of_staff(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, COURSE))
    conversation = Conversation(scenario, {"question": "Why?"})
    agent = scenario.agents["assistant"]
    assert asked_of(agent, conversation).body == "Why?"
    conversation.turns += [
        Turn(agent="assistant", content="So."),
        Turn(agent="student", content="<think>hm</think>And then?"),
    ]
    asked = asked_of(agent, conversation)
    assert asked.body == "Why?"
    assert asked.thread == (Message(role=Role.TA, body="So."), Message(role=Role.STUDENT, body="And then?"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (COURSE.replace("course: small, ", ""), "an agent of type edumod needs a course"),
        (COURSE.replace("type: edumod, ", ""), "an agent of type model needs a model"),
        (COURSE.replace("edumod", "edumood"), "line 3"),
    ],
)
def test_an_agent_without_what_its_type_needs_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_scenario(written(tmp_path, text))
