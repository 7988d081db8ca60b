"""Who speaks: models of the file, with the tools that they may call, and the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import BadReply
from core.llm.base import LLM, Sampling
from core.llm.task import Chat, ChatTurn
from eval.scenarios.conversation import Conversation, Speak
from eval.scenarios.course_assistant import CourseAssistant
from eval.scenarios.dialogue import ToolUse, Turn
from eval.scenarios.scenario import Agent
from eval.scenarios.tools import AgentTools

MAX_ROUNDS = 20
"""Rounds of calls in one turn."""


@dataclass(frozen=True)
class Cast:
    """What a scenario needs besides the models of its file, by agent: the product, and opened tools."""

    assistants: Mapping[str, CourseAssistant] = field(default_factory=dict)
    tools: Mapping[str, AgentTools] = field(default_factory=dict)

    @property
    def identity(self) -> dict[str, str]:
        """What the product's answers depend on. Tools are named by the file."""
        return {name: one.identity for name, one in self.assistants.items()}

    def speaking(self, llm: LLM, seed: int) -> Speak:
        """Gives every agent's turns. Under the first seed, 0, requests leave the seed to the model."""

        async def speak(agent: Agent, conversation: Conversation) -> Turn:
            if assistant := self.assistants.get(agent.name):
                return Turn(agent=agent.name, content=await assistant.answer(agent, conversation, seed, llm))
            sampling = Sampling(model=agent.model, seed=seed or None)
            content, uses = await _spoken(llm, sampling, conversation.messages(agent), self.tools.get(agent.name))
            return Turn(agent=agent.name, content=content, uses=uses)

        return speak


async def _spoken(
    llm: LLM, sampling: Sampling, messages: tuple[ChatTurn, ...], tools: AgentTools | None
) -> tuple[str, tuple[ToolUse, ...]]:
    """The model's words, after the calls that it asked for. Raises `BadReply` if it calls without end."""
    uses: tuple[ToolUse, ...] = ()
    for _ in range(MAX_ROUNDS):
        reply = (await llm.run(Chat(messages=messages, functions=tools.functions if tools else ()), sampling)).value
        if tools is None or not reply.calls:
            return reply.text, uses
        results = [await tools.result(call) for call in reply.calls]
        made = zip(reply.calls, results, strict=True)
        uses += tuple(ToolUse(call=call, result=result.content) for call, result in made)
        messages = (*messages, ChatTurn(role="assistant", content=reply.text, calls=reply.calls), *results)
    raise BadReply(f"The agent called tools {MAX_ROUNDS} times without saying anything.")
