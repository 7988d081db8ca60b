"""Reads a task's output from a completion, or describes for the model what is wrong and how to correct it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from math import exp, isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from core.llm.calls import call_problem
from core.llm.completion import MAX_PROBLEMS, MAX_TEXT_CHARS, Call, Completion, Token
from core.llm.failures import Unusable
from core.llm.loose_json import fitted, object_in, objects_in, schema_of
from core.llm.prompt import ChatMessage
from core.llm.task import Choice, Likelihoods, ToolTask
from core.llm.written_calls import attempts_call, offered_name, written_calls
from core.types import FunctionCall, FunctionSpec
from core.validation import problems_in

Model = TypeVar("Model", bound=BaseModel)

MAX_ARGUMENTS_CHARS = 20_000
"""Maximum length of one call's arguments, as JSON."""
CALLED = ("tool_calls", "function_call")
"""Reasons to finish that announce calls."""
_OWN_ID = re.compile(r"call_(\d{1,9})")


def read_text(completion: Completion) -> str:
    """The text. Raises `Unusable` if it is empty."""
    text = completion.message.text
    if not text.strip():
        raise Unusable("sent an empty reply")
    return text


def read_model(completion: Completion, kind: type[Model]) -> Model:
    """The text, or the arguments of a call, as that pydantic model. Raises `Unusable`, with feedback, if unfit.

    Slips that leave one reading are put right first (`core.llm.loose_json`).
    """
    called = _called_with(completion)
    raw = called or completion.message.content or read_text(completion)
    try:
        return _validated(called or completion.message.text, kind)
    except ValidationError as error:
        problem = problems_in(error, MAX_PROBLEMS)
    except ValueError as error:
        problem = str(error)
    feedback = [
        {"role": "assistant", "content": raw},
        {"role": "user", "content": f"That does not fit the schema: {problem}. Send the whole JSON object, corrected."},
    ]
    raise Unusable(f"sent a reply that does not fit the schema: {problem}", feedback)


def read_choice(completion: Completion, task: ToolTask) -> Choice:
    """The calls, without duplicates. Raises `Unusable`, with feedback, if none is valid or a required one is missing.

    With at least one valid call, invalid calls are returned too, so that the run can report them; unreadable ones are
    left out. Calls written as text are read if they can be, and else asked for again.
    """
    message = completion.message_of(task.accepts_truncated)
    text = message.text
    if calls := message.tool_calls or tuple(written_calls(text, task.functions)):
        return Choice(calls=_calls(calls, task, text), text=text)
    if completion.choice.finish_reason in CALLED or attempts_call(text, task.functions):
        needs = "tools" if task.required else None
        raise Unusable("wrote a function call as text, or sent none after all", _demand(text), needs)
    if task.required:
        problem = "called no function although one was required: it ignores tool_choice"
        raise Unusable(problem, _demand(text), "tools")
    return Choice(text=text)


def _demand(text: str) -> list[ChatMessage]:
    return [
        {"role": "assistant", "content": text or "(nothing)"},
        {"role": "user", "content": "Reply with a function call: call at least one of the functions."},
    ]


def read_probability(completion: Completion) -> float:
    """P("yes") against "no" at the first token. Raises the errors of `read_likelihoods`."""
    return read_likelihoods(completion, ("yes", "no")).by_label["yes"]


def read_likelihoods(completion: Completion, labels: Sequence[str]) -> Likelihoods:
    """The labels' probabilities at the first token, all spellings of each summed. Raises `Unusable` if none occurs."""
    choice = completion.choice
    if choice.finish_reason == "content_filter":
        choice.check_finish()
    positions = choice.logprobs.content if choice.logprobs else None
    if not positions:
        raise Unusable("sent no log-probabilities", capability="logprobs")
    # The sampled token may be missing from the top ones; otherwise it is in both, and counts once.
    seen = {token.token: token for token in (positions[0], *(positions[0].top_logprobs or ()))}
    masses = {label: _mass(seen.values(), label) for label in labels}
    if (total := sum(masses.values())) == 0.0:
        shown = ", ".join(repr(token) for token in list(seen)[:5])
        wanted = ", ".join(f'"{label}"' for label in labels)
        raise Unusable(f"answered none of {wanted}; its likeliest tokens were {shown}")
    return Likelihoods(by_label={label: mass / total for label, mass in masses.items()})


def _mass(tokens: Iterable[Token], word: str) -> float:
    """Summed probability of the tokens that spell the word, ignoring case, spaces and word-start marks."""
    spellings = (token.logprob for token in tokens if token.token.strip("Ġ▁Ċ \t\r\n").lower() == word)
    return sum(exp(min(logprob, 0.0)) for logprob in spellings if logprob is not None and isfinite(logprob))


def _called_with(completion: Completion) -> str:
    """The arguments of the first call, as JSON; empty if there is none."""
    function = completion.message.tool_calls[0].function if completion.message.tool_calls else None
    given = (function.arguments if function else None) or ""
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    if len(text) > MAX_TEXT_CHARS:
        raise Unusable(f"sent a function call with more than {MAX_TEXT_CHARS:,} characters")
    return text


def _validated(text: str, kind: type[Model]) -> Model:
    """As it was sent, or else the one object in it that fits. Raises `ValueError` if none does, or several do."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error
    schema = schema_of(kind)
    models: list[Model] = []
    for value in objects_in(text):
        try:
            models.append(kind.model_validate_json(json.dumps(fitted(value, schema))))
        except ValidationError as error:
            first = error
    if not models:
        raise first
    if any(other != models[0] for other in models):
        raise ValueError(f"there are {len(models)} different objects")
    return models[0]


def _calls(raw: tuple[Call, ...], task: ToolTask, text: str) -> tuple[FunctionCall, ...]:
    ids = _ids(len(raw), task)
    calls: dict[str, FunctionCall] = {}
    wrong: dict[str, str] = {}
    for id_, call in zip(ids, raw, strict=True):
        try:
            read = _read(id_, call, task.functions)
        except ValueError as error:
            wrong[id_] = str(error)
            continue
        calls.setdefault(f"{read.name} {json.dumps(read.arguments, sort_keys=True)}", read)
        if problem := call_problem(read.name, read.arguments, task.functions):
            wrong[id_] = problem
    if len(wrong) == len(raw):
        problem = "; ".join(dict.fromkeys(wrong.values()))
        raise Unusable(f"sent function calls that cannot be run: {problem}", _feedback(ids, raw, wrong, text))
    return tuple(calls.values())


def _ids(count: int, task: ToolTask) -> list[str]:
    """New ids for `count` calls, not in the history. A server's own ids are not used, since they could be any text."""
    earlier = (_OWN_ID.fullmatch(result.call.id) for round_ in task.history for result in round_)
    last = max((int(own[1]) for own in earlier if own), default=0)
    return [f"call_{last + number}" for number in range(1, count + 1)]


def _read(id_: str, call: Call, functions: tuple[FunctionSpec, ...]) -> FunctionCall:
    """The call as it was sent, without the arguments of an unknown function.

    Raises `ValueError`, with a message for the model, if its arguments cannot be read.
    """
    name = offered_name(_name(call), functions)
    schema = next((spec.parameters for spec in functions if spec.name == name), None)
    arguments = {} if schema is None else fitted(_arguments(call, name), schema)
    return FunctionCall(id=id_, name=name, arguments=arguments, opaque=call.opaque)


def _arguments(call: Call, name: str) -> dict[str, Any]:
    given = (call.function.arguments if call.function else None) or {}
    if len(given if isinstance(given, str) else json.dumps(given)) > MAX_ARGUMENTS_CHARS:
        raise ValueError(f"the arguments of {name} have more than {MAX_ARGUMENTS_CHARS:,} characters")
    try:
        arguments = from_json(given, allow_inf_nan=False) if isinstance(given, str) else given
    except ValueError as error:
        arguments = object_in(given) if isinstance(given, str) else None
        if arguments is None or not _is_json(arguments):
            raise ValueError(f"the arguments of {name} are not JSON ({error})") from None
    if isinstance(arguments, str):
        arguments = object_in(arguments)
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments of {name} are not a JSON object")
    # JSON Schema takes 5.0 for an integer, and Python does not.
    whole = {key: int(value) for key, value in arguments.items() if isinstance(value, float) and value.is_integer()}
    return {**arguments, **whole}


def _is_json(value: object) -> bool:
    """False with a number that is none, or half a character."""
    try:
        from_json(json.dumps(value), allow_inf_nan=False)
    except ValueError:
        return False
    return True


def _feedback(ids: list[str], raw: tuple[Call, ...], wrong: dict[str, str], text: str) -> list[ChatMessage]:
    calls = [
        {
            **call.opaque,
            "id": id_,
            "type": "function",
            "function": {"name": _name(call), "arguments": _resendable(call)},
        }
        for id_, call in zip(ids, raw, strict=True)
    ]
    results: list[ChatMessage] = [
        {
            "role": "tool",
            "tool_call_id": id_,
            "content": f"Error: {wrong[id_]}. No call was run. Send all calls again, corrected.",
        }
        for id_ in ids
    ]
    return [{"role": "assistant", "content": text or None, "tool_calls": calls}, *results]


def _name(call: Call) -> str:
    # Servers refuse a nameless call in the history.
    return (call.function.name if call.function else None) or "unknown"


def _resendable(call: Call) -> str:
    """The arguments as JSON, or `{}`: servers fail on a history whose arguments are not an object."""
    try:
        return json.dumps(_arguments(call, ""), ensure_ascii=False)
    except ValueError:
        return "{}"
