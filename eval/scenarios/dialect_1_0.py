"""Files of ELMES 1.0.0."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SecretStr

from eval.scenarios.files import AgentPart, Part, ScenarioFile
from eval.scenarios.scenario import (
    Agent,
    Dialect,
    Evaluation,
    FieldType,
    JudgedField,
    ModelSpec,
    PromptMessage,
    Scenario,
    ServerKind,
    ToolServer,
)


class _Globals(Part):
    concurrency: int = Field(default=16, ge=1)
    recursion_limit: int = Field(default=50, ge=1)
    output_dir: str = "./generated"


class _Model(Part):
    type: str = "openai"
    api_key: SecretStr | None
    base_url: str | None
    model: str
    max_retries: int = Field(default=3, ge=0)
    kargs: dict[str, Any] | None = None


class _Agent(AgentPart):
    system_prompt: str | tuple[str, ...] = ""
    retries: int = Field(default=3, ge=0)
    tools: tuple[str, ...] = ()
    memory: Any = None


class _Tasks(Part):
    mode: str = "union"
    start_prompt: str
    content: Any


class _Field(Part):
    name: str
    rubric: str
    reason: bool = False


class _Evaluation(Part):
    name: str
    judge_model: str
    target: str
    fields: tuple[_Field, ...] = Field(min_length=1)


class _Server(Part):
    type: ServerKind
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    timeout: float = Field(default=30, gt=0)
    max_retries: int | None = None


class _File(Part):
    globals: _Globals = _Globals()
    models: dict[str, _Model] = Field(default_factory=dict)
    agents: dict[str, _Agent] = Field(min_length=1)
    directions: tuple[str, ...]
    tasks: _Tasks
    evaluation: _Evaluation | None = None
    mcps: dict[str, _Server] = Field(default_factory=dict)


def scenario(file: ScenarioFile) -> Scenario:
    """The scenario that the file describes. Raises `InvalidInput`."""
    content = file.read(_File)
    output = file.output(content.globals.output_dir, "globals", "output_dir")
    return Scenario(
        dialect=Dialect.V1_0,
        path=file.path,
        digest=file.digest,
        output=(output or file.path.parent) / file.digest,
        concurrency=content.globals.concurrency,
        turn_limit=content.globals.recursion_limit,
        models={name: _model(model) for name, model in content.models.items()},
        agents={name: _agent(file, name, agent, content) for name, agent in content.agents.items()},
        turns=file.turns(content.directions, content.agents),
        start_prompt=content.tasks.start_prompt,
        tasks=file.tasks(content.tasks.mode, content.tasks.content),
        evaluation=_evaluation(file, content),
        remarks=(*file.ignored(content), *_remarks(content)),
        servers={name: _server(file, name, server) for name, server in content.mcps.items()},
    )


def _model(model: _Model) -> ModelSpec:
    return ModelSpec(
        model=model.model,
        base_url=model.base_url,
        api_key=model.api_key,
        parameters=dict(model.kargs or {}),
        max_retries=model.max_retries,
    )


def _agent(file: ScenarioFile, name: str, agent: _Agent, content: _File) -> Agent:
    if choices := file.choices(name, agent):
        return Agent(name=name, choices=choices)
    model = agent.model or ""
    file.check_model(model, content.models, "agents", name, "model")
    for number, tool in enumerate(agent.tools):
        if tool not in content.mcps:
            raise file.wrong(f"there is no entry {tool!r} in mcps", "agents", name, "tools", number)
    prompt = agent.system_prompt if isinstance(agent.system_prompt, str) else "\n\n".join(agent.system_prompt)
    messages = (PromptMessage(role="system", content=prompt),) if prompt else ()
    return Agent(name=name, model=model, prompt=messages, tools=agent.tools)


def _server(file: ScenarioFile, name: str, server: _Server) -> ToolServer:
    needed = "command" if server.type == ServerKind.STDIO else "url"
    if not getattr(server, needed):
        raise file.wrong(f"a server of type {server.type} needs a {needed}", "mcps", name)
    return ToolServer(
        kind=server.type,
        command=server.command or "",
        args=server.args,
        env=server.env,
        url=server.url or "",
        headers=server.headers,
        timeout=server.timeout,
    )


def _evaluation(file: ScenarioFile, content: _File) -> Evaluation | None:
    judged = content.evaluation
    if judged is None:
        return None
    file.check_model(judged.judge_model, content.models, "evaluation", "judge_model")
    return Evaluation(
        name=file.name(judged.name, "evaluation", "name"),
        model=judged.judge_model,
        prompt=(),
        fields=tuple(_field(one) for one in judged.fields),
        target=file.name(judged.target, "evaluation", "target"),
    )


def _field(one: _Field) -> JudgedField:
    score = JudgedField(name="value", type=FieldType.FLOAT, description=one.rubric, minimum=0.0, maximum=1.0)
    reason = JudgedField(name="reason", type=FieldType.STR, description="Why, in one or two sentences.")
    parts = (score, reason) if one.reason else (score,)
    return JudgedField(name=one.name, type=FieldType.DICT, description=one.rubric, fields=parts)


def _remarks(content: _File) -> list[str]:
    memory = "agents.{}.memory is ignored: an agent of this dialect keeps its whole history."
    retries = "mcps.{}.max_retries is ignored: an agent hears of a failed call, and may call again."
    return [
        *(memory.format(name) for name, agent in content.agents.items() if agent.memory is not None),
        *(retries.format(name) for name, server in content.mcps.items() if server.max_retries is not None),
    ]
