"""A dialogue between a scenario's agents about one task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from core.llm.task import ChatTurn
from core.types import FunctionCall, Value
from eval.scenarios.scenario import Agent, Dialect, Scenario
from eval.scenarios.templates import filled
from eval.scenarios.turns import END, without_thinking

_END_OF_THINKING = "</think>"


class ToolUse(Value):
    """A call of a tool that an agent made before it spoke, and the result that its model was sent."""

    call: FunctionCall
    result: str


class Turn(Value):
    """What an agent said, as its model sent it, thinking included."""

    agent: str
    content: str
    uses: tuple[ToolUse, ...] = ()

    @property
    def words(self) -> str:
        """What the others hear."""
        return without_thinking(self.content)

    @property
    def parts(self) -> tuple[str, str]:
        """What the model thought, empty if nothing, and what it said."""
        thinking, end, said = self.content.partition(_END_OF_THINKING)
        return (thinking.strip(), said.strip()) if end else ("", self.content.strip())


class Dialogue(Value):
    """The turns on one task. A dialogue that the turn limit ended is partial."""

    task: dict[str, Any]
    turns: tuple[Turn, ...] = ()
    is_partial: bool = False


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
        history = self._shared(agent) if self.scenario.dialect == Dialect.V0_1 else self._own(agent)
        return (*prompt, *(history if agent.history is None else history[-agent.history :]))

    def _shared(self, agent: Agent) -> list[ChatTurn]:
        """The whole dialogue as the agent sees it: its own turns as the assistant's, all else as the user's."""
        start = [ChatTurn(role="user", content=without_thinking(self.start))] if self.start is not None else []
        return start + [
            ChatTurn(role="assistant" if turn.agent == agent.name else "user", content=turn.words)
            for turn in self.turns
        ]

    def _own(self, agent: Agent) -> list[ChatTurn]:
        """The agent's own exchanges: each time, what the one before it said, and its reply."""
        said = [self.start or "", *(turn.words for turn in self.turns)]
        history = []
        for heard, turn in zip(said, self.turns, strict=False):
            if turn.agent == agent.name:
                history += [ChatTurn(role="user", content=heard), ChatTurn(role="assistant", content=turn.words)]
        return [*history, ChatTurn(role="user", content=said[-1])]

    def _filled(self, template: str) -> str:
        return filled(template, self.task, self.scenario.dialect)


async def converse(scenario: Scenario, task: Mapping[str, Any], speak: Speak) -> Dialogue:
    """Let the agents speak by turns until a direction leads to END, or the turn limit is reached."""
    conversation = Conversation(scenario, task)
    speaker = scenario.turns.first
    while speaker != END and len(conversation.turns) < scenario.turn_limit:
        turn = await speak(scenario.agents[speaker], conversation)
        conversation.turns.append(turn)
        speaker = scenario.turns.next(speaker, turn.content)
    return Dialogue(task=conversation.task, turns=tuple(conversation.turns), is_partial=speaker != END)
