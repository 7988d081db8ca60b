"""Files of ELMES 0.1.x."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import NAMESPACE_URL, uuid5

from pydantic import BeforeValidator, Field, SecretStr

from core.errors import InvalidInput
from core.llm.task import ChatTurn
from core.store.tables import ResultRow
from eval.scenarios.dialects.base import DialectRules, JsonObject
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.files import AgentPart, Part, ScenarioFile
from eval.scenarios.scenario import (
    Agent,
    Dialect,
    Evaluation,
    FieldType,
    JudgedField,
    ModelSpec,
    PromptMessage,
    ReplyMode,
    Scenario,
)
from eval.scenarios.templates import as_text
from eval.scenarios.turns import without_thinking

Role = Literal["system", "user", "assistant"]
_PLACEHOLDER = re.compile(r"\{(?:task\.(?P<variable>[^{}]+?)|(?P<dialog>messages\.as_dialog\(\)))\}")
_ROLES = {"human": "user", "ai": "assistant", "developer": "system", None: "user"}


class _Message(Part):
    role: Annotated[Role, BeforeValidator(lambda role: _ROLES.get(role, role))]
    content: str


class _Memory(Part):
    path: str | None = None


class _Retry(Part):
    attempt: int = Field(default=3, ge=1)
    interval: float = Field(default=3, ge=0)


class _Globals(Part):
    concurrency: int = Field(default=8, ge=1)
    recursion_limit: int = Field(default=25, ge=1)
    retry: _Retry = _Retry()
    memory: _Memory = _Memory()


class _Model(Part):
    type: str = "openai"
    api_key: SecretStr | None
    api_base: str | None
    model: str | None
    kargs: dict[str, Any] | None = None


class _AgentMemory(Part):
    enable: bool = True
    id: str | None = None
    keep_turns: int = Field(default=3, ge=0)


class _Agent(AgentPart):
    prompt: tuple[_Message, ...] = ()
    memory: _AgentMemory = _AgentMemory()


class _Tasks(Part):
    mode: str
    start_prompt: _Message | None = None
    content: Any


class _Format(Part):
    field: str
    type: FieldType
    description: str
    items: tuple[_Format, ...] = ()
    max: float | None = None


class _Evaluation(Part):
    name: str | None
    model: str
    prompt: tuple[_Message, ...]
    format: tuple[_Format, ...] = Field(min_length=1)
    format_mode: ReplyMode = ReplyMode.TOOL


class _File(Part):
    globals: _Globals
    models: dict[str, _Model] = Field(default_factory=dict)
    agents: dict[str, _Agent] = Field(min_length=1)
    directions: tuple[str, ...]
    tasks: _Tasks
    evaluation: _Evaluation | None = None


class RulesV01(DialectRules):
    """ELMES 0.1.x."""

    url_key = "api_base"
    label_template = "label_studio.txt"
    keeps_generated = False

    def read(self, file: ScenarioFile) -> Scenario:
        content = file.read(_File)
        settings = content.globals
        default_output = file.path.parent / file.path.stem
        return Scenario(
            dialect=Dialect.V0_1,
            path=file.path,
            digest=file.digest,
            output=file.output(settings.memory.path, "globals", "memory", "path") or default_output,
            concurrency=settings.concurrency,
            turn_limit=settings.recursion_limit,
            models={name: _model(model, settings.retry) for name, model in content.models.items()},
            agents={name: _agent(file, name, agent, content) for name, agent in content.agents.items()},
            turns=file.turns(content.directions, content.agents),
            start_prompt=content.tasks.start_prompt.content if content.tasks.start_prompt else None,
            tasks=file.tasks(content.tasks.mode, content.tasks.content),
            evaluation=_evaluation(file, content),
            remarks=(*file.ignored(content), *_remarks(content)),
        )

    def fill(self, template: str, texts: Mapping[str, str]) -> str:
        # One variable after the other, as upstream does.
        for name, text in texts.items():
            template = template.replace(f"{{{name}}}", text)
        return template

    def history(self, agent: Agent, start: str | None, turns: Sequence[Turn]) -> list[ChatTurn]:
        """The whole dialogue as the agent sees it: its own turns as the assistant's, all else as the user's."""
        opening = [ChatTurn(role="user", content=without_thinking(start))] if start is not None else []
        return opening + [
            ChatTurn(role="assistant" if turn.agent == agent.name else "user", content=turn.words) for turn in turns
        ]

    def dialogue_stem(self, scenario: Scenario, item: str, seed: int) -> str:
        return str(uuid5(NAMESPACE_URL, f"{scenario.digest}/{item}/{seed}"))

    def dialogue_content(self, item: str, dialogue: Dialogue) -> JsonObject:
        task = {name: as_text(value) for name, value in dialogue.task.items()}
        return {"task": task, "messages": [_exported_message(turn) for turn in dialogue.turns]}

    def judge_messages(self, evaluation: Evaluation, dialogue: Dialogue) -> list[ChatTurn]:
        """The file's own prompt."""
        return [
            ChatTurn(role=message.role, content=judged_template(message.content, dialogue))
            for message in evaluation.prompt
        ]

    def judgement(self, scenario: Scenario, evaluation: Evaluation, row: ResultRow) -> tuple[str, Any]:
        return f"{row.item}.json", row.output

    def table_stem(self, evaluation: Evaluation) -> str:
        return evaluation.name


def judged_template(template: str, dialogue: Dialogue) -> str:
    """With `{task.NAME}` and `{messages.as_dialog()}` replaced; other braces stay, and values are not read again.

    Raises `InvalidInput` for a variable that the task lacks.
    """

    def value(found: re.Match[str]) -> str:
        if found["dialog"]:
            return "\n".join(f"{turn.agent}: {turn.parts[1]}" for turn in dialogue.turns)
        if found["variable"] not in dialogue.task:
            raise InvalidInput(
                f"The judge's prompt has {found[0]}, but the task has only: {', '.join(dialogue.task) or 'nothing'}."
            )
        return as_text(dialogue.task[found["variable"]])

    return _PLACEHOLDER.sub(value, template)


def _exported_message(turn: Turn) -> JsonObject:
    thinking, speech = turn.parts
    return {"role": turn.agent, "content": speech, "reasoning": thinking}


def _model(model: _Model, retry: _Retry) -> ModelSpec:
    return ModelSpec(
        model=model.model or "",
        base_url=model.api_base,
        api_key=model.api_key,
        parameters={"stream": False, **(model.kargs or {})},
        max_retries=retry.attempt - 1,
    )


def _agent(file: ScenarioFile, name: str, agent: _Agent, content: _File) -> Agent:
    if choices := file.choices(name, agent):
        return Agent(name=name, choices=choices)
    model = agent.model or ""
    file.check_model(model, content.models, "agents", name, "model")
    return Agent(
        name=name,
        model=model,
        prompt=_messages(agent.prompt),
        history=2 * agent.memory.keep_turns + 1,
    )


def _messages(prompt: tuple[_Message, ...]) -> tuple[PromptMessage, ...]:
    return tuple(PromptMessage(role=message.role, content=message.content) for message in prompt)


def _evaluation(file: ScenarioFile, content: _File) -> Evaluation | None:
    judged = content.evaluation
    if judged is None:
        return None
    file.check_model(judged.model, content.models, "evaluation", "model")
    if sum(message.role == "system" for message in judged.prompt) > 1:
        raise file.wrong("a judge's prompt has at most one system message", "evaluation", "prompt")
    return Evaluation(
        name=file.name(judged.name or file.path.stem, "evaluation", "name"),
        model=judged.model,
        prompt=_messages(judged.prompt),
        fields=tuple(_field(one) for one in judged.format),
        mode=judged.format_mode,
    )


def _field(one: _Format) -> JudgedField:
    return JudgedField(
        name=one.field,
        type=one.type,
        description=one.description,
        maximum=one.max,
        fields=tuple(_field(item) for item in one.items),
    )


def _remarks(content: _File) -> list[str]:
    types = "models.{}: type {} is asked as an OpenAI-compatible endpoint."
    whole = "agents.{}.memory.enable is ignored, as ELMES does: keep_turns alone says how much an agent remembers."
    shared = "agents.{}.memory.id is ignored: no dialogue remembers another one."
    interval = "globals.retry.interval is ignored: waits follow what an endpoint asks for, and grow otherwise."
    memories = {name: agent.memory for name, agent in content.agents.items()}
    return [
        *(types.format(name, model.type) for name, model in content.models.items() if model.type != "openai"),
        *(whole.format(name) for name, memory in memories.items() if not memory.enable),
        *(shared.format(name) for name, memory in memories.items() if memory.id is not None),
        *([interval] if content.globals.retry.interval != _Retry().interval else []),
    ]
