"""One form of a scenario for both dialects of its files."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr

from core.types import Value
from eval.scenarios.turns import TurnOrder

TASK = "task_"
"""Before the number of a task in its id."""
Variables = Mapping[str, "str | int | float | bool | None"]
"""The variables of one task, as its file gives them."""


class Dialect(StrEnum):
    """Version of ELMES whose rules a file follows."""

    V0_1 = "0.1"
    V1_0 = "1.0"


class PromptMessage(Value):
    """A message of a prompt; `content` may have placeholders such as `{question}`."""

    role: Literal["system", "user", "assistant"]
    content: str


class ModelSpec(Value):
    """A model of the file. Model, key and URL may be `${VARIABLE}`, which is replaced when it is asked.

    `parameters` are fields of every request.
    """

    model: str
    base_url: str | None
    api_key: SecretStr | None
    parameters: dict[str, Any] = Field(default_factory=dict)
    max_retries: int = 3


class CourseChoices(Value):
    """The course that an agent of type `edumod` answers about, and its configuration; None is the course's own."""

    course: str
    pipeline: str | None = None
    retriever: str | None = None
    model: str | None = None

    @property
    def label(self) -> str:
        """How reports call it."""
        return "/".join(("edumod", *filter(None, (self.pipeline, self.retriever, self.model))))


class Agent(Value):
    """A participant of a dialogue, played by a model of the file or by the product.

    Attributes:
        model: empty if the product plays it.
        prompt: what every request of it begins with.
        history: number of the last messages that it is sent; all if none.
        tools: names of MCP servers whose functions it may call.
    """

    name: str
    model: str = ""
    choices: CourseChoices | None = None
    prompt: tuple[PromptMessage, ...] = ()
    history: int | None = None
    tools: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How reports call who plays it."""
        return self.choices.label if self.choices else self.model


class ServerKind(StrEnum):
    """How an MCP server is reached."""

    STDIO = "stdio"
    SSE = "http-with-sse"
    HTTP = "streamable-http"


class ToolServer(Value):
    """An MCP server: a command that is started, or a URL. Values of `env` and `headers` may be `${VARIABLE}`.

    `timeout` is that of each request, in seconds.
    """

    kind: ServerKind
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    timeout: float = 30.0


class FieldType(StrEnum):
    """Type of a field that a judge fills in. `DICT` groups further fields."""

    STR = "str"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DICT = "dict"


class JudgedField(Value):
    """A field that a judge fills in; `maximum` bounds a number, and `fields` are those of a group."""

    name: str
    type: FieldType
    description: str
    maximum: float | None = None
    minimum: float | None = None
    fields: tuple[JudgedField, ...] = ()


class ReplyMode(StrEnum):
    """How a judge is asked for its fields: by a function call, or in the words of the prompt."""

    TOOL = "tool"
    PROMPT = "prompt"


class Evaluation(Value):
    """How a file has its dialogues judged. `target` is the name of the model under test, if the file gives one."""

    name: str
    model: str
    prompt: tuple[PromptMessage, ...]
    fields: tuple[JudgedField, ...]
    mode: ReplyMode = ReplyMode.TOOL
    target: str | None = None


class Scenario(Value):
    """A scenario's file, read.

    Attributes:
        output: folder of its results.
        turn_limit: turns after which a dialogue is ended and marked as partial.
        digest: MD5 of the file's bytes, by which dialect 1.0 names folders. It identifies, and protects nothing.
        remarks: what in the file is ignored or unusual, for its author.
        variables: names of variables of the environment that the caller lets the file read, and so send to its hosts.
    """

    dialect: Dialect
    path: Path
    digest: str
    output: Path
    concurrency: int
    turn_limit: int
    models: dict[str, ModelSpec]
    agents: dict[str, Agent]
    turns: TurnOrder
    start_prompt: str | None
    tasks: tuple[dict[str, Any], ...]
    evaluation: Evaluation | None
    remarks: tuple[str, ...] = ()
    servers: dict[str, ToolServer] = Field(default_factory=dict, repr=False)
    variables: frozenset[str] = frozenset()

    def without_tools(self) -> Scenario:
        """The same with agents that call nothing."""
        agents = {name: agent.model_copy(update={"tools": ()}) for name, agent in self.agents.items()}
        return self.model_copy(update={"agents": agents})

    @property
    def conditions(self) -> dict[str, Any]:
        """What dialogues depend on, for readers of a report; without addresses, which may hold secrets."""
        return {"file": self.digest, "models": {name: spec.model for name, spec in self.models.items()}}

    @property
    def speaking_models(self) -> tuple[str, ...]:
        """Models of the file that play agents."""
        return tuple(dict.fromkeys(agent.model for agent in self.agents.values() if agent.choices is None))


def task_number(item: str) -> int:
    """The position in the file of the task with that id."""
    return int(item.removeprefix(TASK))
