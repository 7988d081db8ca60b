"""A dialogue under way: its agents speak by turns until a direction leads to its end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from core.llm.task import ChatTurn
from eval.scenarios.dialects import rules_of
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.scenario import Agent, Scenario
from eval.scenarios.templates import as_text
from eval.scenarios.turns import END

Speak = Callable[[Agent, "Conversation"], Awaitable[Turn]]
"""Gives an agent's next turn."""


class Conversation:
    """A dialogue under way: the prompts with this task's values, and what was said so far."""

    def __init__(self, scenario: Scenario, task: Mapping[str, Any]) -> None:
        self.scenario = scenario
        self.task = dict(task)
        self.start = None if scenario.start_prompt is None else self._filled(scenario.start_prompt)
        self.turns: list[Turn] = []

    def messages(self, agent: Agent) -> tuple[ChatTurn, ...]:
        """Everything that the agent's model is sent for its next turn."""
        prompt = [ChatTurn(role=one.role, content=self._filled(one.content)) for one in agent.prompt]
        history = rules_of(self.scenario).history(agent, self.start, self.turns)
        return (*prompt, *(history if agent.history is None else history[-agent.history :]))

    def _filled(self, template: str) -> str:
        texts = {name: as_text(value) for name, value in self.task.items()}
        return rules_of(self.scenario).fill(template, texts)


async def converse(scenario: Scenario, task: Mapping[str, Any], speak: Speak) -> Dialogue:
    """Let the agents speak by turns until a direction leads to END, or the turn limit is reached."""
    conversation = Conversation(scenario, task)
    speaker = scenario.turns.first
    while speaker != END and len(conversation.turns) < scenario.turn_limit:
        turn = await speak(scenario.agents[speaker], conversation)
        conversation.turns.append(turn)
        speaker = scenario.turns.next(speaker, turn.content)
    return Dialogue(task=conversation.task, turns=tuple(conversation.turns), is_partial=speaker != END)
