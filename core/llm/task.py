"""Tasks: typed requests to a language model.

A task is a frozen value. Its fields are the inputs, its generic argument is the type of the reply, and `instructions`
is the prompt, with those of the `rules` that apply. `version` changes whenever the prompt does and is stored with every
result. A `PromptedTask` has its
instructions from data, such as a rubric's file, and its version from their content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, SkipValidation

from core.types import FunctionCall, FunctionSpec, Passage, Value

Out = TypeVar("Out")


VERSION_CHARS = 12
"""Hexadecimal digits of a digest that is the version of a text."""


class Instructions(Value):
    """Instructions that are data. `name` is for people; the version follows from the text."""

    name: str
    text: str

    @property
    def version(self) -> str:
        return hashlib.sha256(self.text.strip().encode()).hexdigest()[:VERSION_CHARS]


class Task(BaseModel, Generic[Out]):
    """One typed request. Subclass as `class WriteAnswer(Task[Draft])`; `Task[str]` asks for plain text."""

    model_config = ConfigDict(frozen=True)

    version: ClassVar[str]
    instructions: ClassVar[str]
    rules: ClassVar[Mapping[str, str]] = {}
    """Further instructions, each sent only where the input or property of that name is given."""
    hidden: ClassVar[frozenset[str]] = frozenset()
    """Inputs that are not rendered as fields of the prompt."""
    _instructed: Instructions | None = None

    @classmethod
    def name(cls) -> str:
        return cls.__name__

    @property
    def prompt(self) -> str:
        """The instructions of this request."""
        if self._instructed:
            return self._instructed.text.strip()
        applying = (rule.strip() for name, rule in self.rules.items() if getattr(self, name))
        return "\n".join((self.instructions.strip(), *applying))

    @property
    def inputs(self) -> dict[str, Any]:
        """What the prompt renders, by name and in order."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in self.hidden}

    @property
    def prompt_version(self) -> str:
        """The version of the instructions of this request."""
        return self._instructed.version if self._instructed else self.version

    def instructed(self, given: Instructions) -> Self:
        """The same request with other instructions."""
        copy = self.model_copy()
        copy._instructed = given
        return copy

    @classmethod
    def output_type(cls) -> Any:
        """The reply's type, the generic argument of the class."""
        for base in cls.__mro__:
            metadata = getattr(base, "__pydantic_generic_metadata__", None)
            if metadata and metadata["args"]:
                return metadata["args"][0]
        raise TypeError(f"{cls.__name__} does not say what it returns: derive it from Task[SomeType].")


class PromptedTask(Task[Out]):
    """A task whose instructions are data. The class fixes inputs and reply, the data says what to do with them."""

    hidden: ClassVar[frozenset[str]] = frozenset({"given"})

    given: Instructions

    @property
    def prompt(self) -> str:
        return self.given.text.strip()

    @property
    def prompt_version(self) -> str:
        return self.given.version


class Image(Value):
    """An image as a task's input, for a model that accepts images."""

    media_type: str
    data: str = Field(description="The file, base64-encoded.")

    @property
    def url(self) -> str:
        return f"data:{self.media_type};base64,{self.data}"


class YesNoTask(Task[bool]):
    """A yes/no question. `LLM.probability` answers it with P("yes") from the first token's log-probabilities."""


class Likelihoods(Value):
    """Probabilities of the labels of a `LabelTask`, which sum to 1."""

    by_label: dict[str, float]


class LabelTask(Task[Likelihoods]):
    """Another task, to be replied to with one of a few labels alone.

    `LLM.run` gives the labels' probabilities, from the log-probabilities of the reply's first token. `closing` follows
    the instructions of the other task and asks for a label.
    """

    task: SerializeAsAny[SkipValidation[Task[Any]]]
    labels: tuple[str, ...] = Field(min_length=2)
    closing: str

    @property
    def prompt(self) -> str:
        return f"{self.task.prompt}\n\n{self.closing}"

    @property
    def prompt_version(self) -> str:
        return Instructions(name=self.name(), text=self.prompt).version

    @property
    def inputs(self) -> dict[str, Any]:
        return self.task.inputs


class CallResult(Value):
    """A call of a course function with the passages found, or the reason why it could not be run.

    `left_out` is the number of passages found but omitted: another result has them, or they exceed the prompt.
    """

    call: FunctionCall
    passages: tuple[Passage, ...] = ()
    left_out: int = 0
    error: str | None = None


class Choice(Value):
    """What the model chose: functions to call, or none and perhaps some words."""

    calls: tuple[FunctionCall, ...] = ()
    text: str = ""
    nothing: float | None = None
    """Probability that no function is needed, if the backend states one."""


class ToolTask(Task[Choice]):
    """Function choice by real function calling.

    `functions` become the request's tools. `required` demands at least one call. `history` holds earlier rounds of
    the same run, each with its calls and their results, in order.
    """

    hidden: ClassVar[frozenset[str]] = frozenset({"functions", "required", "history"})
    accepts_truncated: ClassVar[bool] = False
    """Whether a text that ends at the length limit is a reply."""

    functions: tuple[FunctionSpec, ...]
    required: bool = False
    history: tuple[tuple[CallResult, ...], ...] = ()


class ChatTurn(Value):
    """One message of a conversation. `calls` are an assistant's; `call_id` is that of the call a tool answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[FunctionCall, ...] = ()
    call_id: str | None = None


class Chat(ToolTask):
    """A conversation sent as it stands, with its whole history: no instructions of ours, no tags.

    For prompts that somebody else is responsible for, such as a scenario's author. Its functions are optional.
    """

    accepts_truncated: ClassVar[bool] = True
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = ""
    hidden: ClassVar[frozenset[str]] = ToolTask.hidden | {"messages"}

    functions: tuple[FunctionSpec, ...] = ()
    messages: tuple[ChatTurn, ...]
