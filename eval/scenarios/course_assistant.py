"""An agent of type `edumod`: a pipeline of the product answers the others over the material of a course."""

from __future__ import annotations

from dataclasses import dataclass

from core.course import Course
from core.llm.base import LLM
from core.types import Message, Question, Role
from eval.scenarios.conversation import Conversation
from eval.scenarios.scenario import Agent
from pipelines.assistant import Assistant
from pipelines.configuration import Configuration

NO_REPLY = "(no reply)"
"""Said where the product leaves a message to people, without a sentence for students."""


@dataclass(frozen=True)
class CourseAssistant:
    """A configuration of the product as an agent. `material` is the course's revision, on which answers depend."""

    assistant: Assistant
    course: Course
    configuration: Configuration
    material: int

    @property
    def identity(self) -> str:
        behind_alias = self.assistant.models[self.configuration.model].fingerprint
        return f"{self.course.id} {self.material} {self.configuration.hash} {behind_alias}"

    async def answer(self, agent: Agent, conversation: Conversation, seed: int, llm: LLM) -> str:
        """The answer that a student would read, after what was said so far."""
        seeded = self.configuration.seeded(seed)
        run = await self.assistant.start(self.course, asked_of(agent, conversation), seeded, llm=llm)
        answer = await self.assistant.answer(run, seeded)
        return answer.markdown.strip() or self.course.sentence(answer.status) or NO_REPLY


def asked_of(agent: Agent, conversation: Conversation) -> Question:
    """The dialogue as a forum thread: its first message is the question, the agent's own turns are those of staff."""
    start = [] if conversation.start is None else [Message(body=conversation.start)]
    said = [
        Message(role=Role.TA if turn.agent == agent.name else Role.STUDENT, body=turn.words.strip() or NO_REPLY)
        for turn in conversation.turns
    ]
    first, *later = [*start, *said] or [Message(body=NO_REPLY)]
    return Question(body=first.body, thread=tuple(later))
