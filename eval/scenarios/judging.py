"""A file's own judge: asks a model to fill in the fields of a dialogue's evaluation, and checks what it sends."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError, create_model

from core.errors import BadReply
from core.llm.base import LLM, Sampling
from core.llm.task import Chat, ChatTurn
from core.types import FunctionSpec
from core.validation import problems_in
from eval.actors.base import Actor
from eval.scenarios.dialects import rules_of
from eval.scenarios.dialogue import Dialogue
from eval.scenarios.scenario import Evaluation, FieldType, JudgedField, ReplyMode, Scenario
from eval.scenarios.templates import as_text

FUNCTION = "save_result_to_database"
"""Upstream's name of the function by which a judge hands in its fields."""
BEGIN, END = "<START OF EVAL OUTPUT>", "<END OF EVAL OUTPUT>"
MAX_PROBLEMS = 5
VERSION = "1"
_BETWEEN = re.compile(f"{re.escape(BEGIN)}(.*?){re.escape(END)}", re.DOTALL)
_TYPES: dict[FieldType, type] = {
    FieldType.STR: str,
    FieldType.INT: int,
    FieldType.FLOAT: float,
    FieldType.BOOL: bool,
}
_BY_FUNCTION = f"Hand in your evaluation by calling {FUNCTION} once, with every field filled in."
_IN_WORDS = (
    "Reply with one JSON object between {begin} and {end}, with every field filled in and nothing after it. "
    "Its JSON Schema is:\n{schema}"
)


@dataclass(frozen=True)
class DialogueItem:
    """A dialogue to judge; `id` is the name of its file."""

    id: str
    dialogue: Dialogue

    @property
    def text(self) -> str:
        return "; ".join(f"{name}: {as_text(value)}" for name, value in self.dialogue.task.items())[:200]

    @property
    def contents(self) -> tuple[Any, ...]:
        # Calls of tools are not shown to a judge, so they do not matter here.
        return (self.dialogue.model_dump_json(exclude={"turns": {"__all__": {"uses"}}}),)


@dataclass(frozen=True)
class FileJudge(Actor[DialogueItem]):
    """The judge of a scenario's file, as an actor: its output for a dialogue are the fields."""

    scenario: Scenario
    evaluation: Evaluation

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.evaluation.name

    @property
    def identity(self) -> str:
        spec = self.scenario.models[self.evaluation.model]
        shaping = [
            VERSION,
            self.evaluation.model_dump_json(),
            spec.model_dump_json(include={"model", "base_url", "parameters"}),
        ]
        return hashlib.sha256(json.dumps(shaping).encode()).hexdigest()[:16]

    async def act(self, item: DialogueItem, seed: int, llm: LLM) -> Any:
        """Raises `BadReply` where the model, asked once more, still sends fields that do not fit."""
        kind = reply_type(self.evaluation.fields)
        sampling = Sampling(model=self.evaluation.model, seed=seed or None)
        messages = rules_of(self.scenario).judge_messages(self.evaluation, item.dialogue)
        if self.evaluation.mode == ReplyMode.TOOL:
            fields = await _by_function(llm, sampling, messages, kind)
        else:
            fields = await _in_words(llm, sampling, messages, kind)
        return fields.model_dump(mode="json", by_alias=True)


def reply_type(fields: Sequence[JudgedField], name: str = "Evaluation") -> type[BaseModel]:
    """The fields as a pydantic model, whose schema the judge is sent and whose bounds its reply is checked by."""
    parts: dict[str, Any] = {}
    for number, field in enumerate(fields):
        kind = reply_type(field.fields, field.name) if field.type == FieldType.DICT else _TYPES[field.type]
        described = Field(description=field.description, alias=field.name, ge=field.minimum, le=field.maximum)
        # Any text may be a field's name in the file, and not in Python.
        parts[f"field_{number}"] = (kind, described)
    return create_model(name, **parts)


def leaves_in(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a reply by name, those of a group as in `guidance.score`."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from leaves_in(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def numbers_in(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Numbers and truth values of a reply by name; texts are left out."""
    return ((name, float(value)) for name, value in leaves_in(fields) if isinstance(value, int | float))


async def _by_function(llm: LLM, sampling: Sampling, messages: list[ChatTurn], kind: type[BaseModel]) -> BaseModel:
    schema = kind.model_json_schema(by_alias=True)
    function = FunctionSpec(name=FUNCTION, description="Keeps the evaluation of a dialogue.", parameters=schema)
    chat = Chat(messages=_with_instruction(messages, _BY_FUNCTION), functions=(function,), required=True)
    reply = await llm.run(chat, sampling)
    try:
        return kind.model_validate(reply.value.calls[0].arguments)
    except ValidationError as error:
        raise BadReply(f"The judge's fields do not fit: {problems_in(error, MAX_PROBLEMS)}.") from None


async def _in_words(llm: LLM, sampling: Sampling, messages: list[ChatTurn], kind: type[BaseModel]) -> BaseModel:
    schema = json.dumps(kind.model_json_schema(by_alias=True), ensure_ascii=False)
    asked = _with_instruction(messages, _IN_WORDS.format(begin=BEGIN, end=END, schema=schema))
    reply = await llm.run(Chat(messages=asked), sampling)
    try:
        return kind.model_validate_json(json_in(reply.value.text))
    except ValidationError as error:
        problem = problems_in(error, MAX_PROBLEMS)
    wrong = f"That does not fit the schema: {problem}. Send the whole object, corrected."
    sent = ChatTurn(role="assistant", content=reply.value.text or "(nothing)")
    again = await llm.run(Chat(messages=(*asked, sent, ChatTurn(role="user", content=wrong))), sampling)
    try:
        return kind.model_validate_json(json_in(again.value.text))
    except ValidationError as error:
        raise BadReply(f"The judge's fields do not fit: {problems_in(error, MAX_PROBLEMS)}.") from None


def json_in(text: str) -> str:
    """The JSON object of a reply: the last one between the marks, or else the outermost braces."""
    text = text.replace("\\<", "<").replace("\\>", ">")
    inside = _BETWEEN.findall(text)
    part = inside[-1] if inside else text
    return part[max(part.find("{"), 0) : part.rfind("}") + 1] or part


def _with_instruction(messages: Sequence[ChatTurn], instruction: str) -> tuple[ChatTurn, ...]:
    """With the instruction at the end of the system message, which comes first."""
    system = "\n\n".join(one.content for one in messages if one.role == "system")
    others = [one for one in messages if one.role != "system"]
    return (ChatTurn(role="system", content=f"{system}\n\n{instruction}".strip()), *others)
