"""Files of ELMES 0.1.x."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr

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

Role = Literal["system", "user", "assistant"]
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


def scenario(file: ScenarioFile) -> Scenario:
    """The scenario that the file describes. Raises `InvalidInput`."""
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
