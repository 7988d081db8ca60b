"""Whose turn follows: the directions of a scenario, with routers that look for keywords.

A router's call is parsed and never evaluated: its arguments are literals, and START and END.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import Field

from core.errors import InvalidInput, UnknownName
from core.types import Value

START = "START"
END = "END"
ARROW = "->"
_ROUTER = "router:"
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)

_PARAMETERS = {
    "any_keyword_route": ("keywords", "exists_to", "else_to", "think_as_message"),
    "all_keyword_route": ("keywords", "exists_to", "else_to"),
    "any_keyword_router": ("keywords", "exists_to", "else_to"),
}
"""Routers with their parameters in order: the first two of dialect 0.1, the last of 1.0."""


def without_thinking(text: str) -> str:
    """The text without what a reasoning model thought between `<think>` and `</think>`."""
    return _THINKING.sub("", text)


class KeywordRoute(Value):
    """Chooses the next agent by keywords in the last message, letter case ignored.

    Attributes:
        wants_all: whether all keywords must occur, or any of them.
        reads_thinking: whether what stands between `<think>` tags counts.
    """

    keywords: tuple[str, ...]
    exists_to: str
    else_to: str
    wants_all: bool = False
    reads_thinking: bool = False

    def next(self, text: str) -> str:
        """The name of the next agent, or `END`."""
        searched = (text if self.reads_thinking else without_thinking(text)).casefold()
        occur = (keyword.casefold() in searched for keyword in self.keywords)
        return self.exists_to if (all(occur) if self.wants_all else any(occur)) else self.else_to


class TurnOrder(Value):
    """Who begins, and who follows whom."""

    first: str
    after: Mapping[str, str | KeywordRoute] = Field(default_factory=dict)

    def next(self, agent: str, text: str) -> str:
        """Who speaks after `agent` has said `text`, or `END`."""
        following = self.after.get(agent, END)
        return following.next(text) if isinstance(following, KeywordRoute) else following


def read_turns(directions: Sequence[str], agents: Collection[str]) -> TurnOrder:
    """Raises `InvalidDirection` for the first direction that cannot be followed."""
    after: dict[str, str | KeywordRoute] = {}
    for number, direction in enumerate(directions):
        try:
            source, following = _direction(direction, agents)
        except InvalidInput as error:
            raise InvalidDirection(str(error), number) from None
        if source in after:
            raise InvalidDirection(
                f"a second direction starts at {source}; a dialogue has one speaker at a time", number
            )
        after[source] = following
    first = after.pop(START, None)
    if first is None:
        raise InvalidDirection(f"no direction starts the dialogue; add `{START} -> AGENT`", None)
    if isinstance(first, KeywordRoute) or first == END:
        raise InvalidDirection(f"{START} leads to an agent; nothing has been said yet that a router could read", None)
    return TurnOrder(first=first, after=after)


class InvalidDirection(InvalidInput):
    """A direction that cannot be followed. `number` is its position in the list, or none for the list as a whole."""

    def __init__(self, message: str, number: int | None) -> None:
        super().__init__(message)
        self.number = number


def _direction(direction: str, agents: Collection[str]) -> tuple[str, str | KeywordRoute]:
    source, arrow, target = (part.strip() for part in direction.partition(ARROW))
    if not arrow or not source or not target:
        raise InvalidInput(f"{direction!r} is not a direction; write `AGENT {ARROW} AGENT`")
    if source != START:
        _check_agent(source, agents)
    if target.startswith(_ROUTER):
        return source, _route(target.removeprefix(_ROUTER), agents)
    return source, _target(target, agents)


def _target(name: str, agents: Collection[str]) -> str:
    if name != END:
        _check_agent(name, agents)
    return name


def _check_agent(name: str, agents: Collection[str]) -> None:
    if name not in agents:
        raise UnknownName("agent", name, agents)


def _route(text: str, agents: Collection[str]) -> KeywordRoute:
    name, arguments = _call(text)
    try:
        route = KeywordRoute(
            keywords=_keywords(arguments.pop("keywords")),
            exists_to=_target(str(arguments.pop("exists_to")), agents),
            else_to=_target(str(arguments.pop("else_to")), agents),
            wants_all=name == "all_keyword_route",
            # As upstream does: only the router for all keywords reads what the model thought.
            reads_thinking=name == "all_keyword_route" or bool(arguments.pop("think_as_message", False)),
        )
    except KeyError as missing:
        raise InvalidInput(f"the router {name} lacks {missing.args[0]}") from None
    return route


def _keywords(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise InvalidInput('`keywords` must be a list of texts, such as ["<end>", "goodbye"]')
    return tuple(value)


def _call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of a router's call. Raises `InvalidInput` for anything but literals and START, END."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise InvalidInput(f"{text[:100]!r} is not a router's call, such as any_keyword_route(keywords=[...], ...)")
    name = call.func.id
    if name not in _PARAMETERS:
        raise UnknownName("router", name, _PARAMETERS)
    parameters = _PARAMETERS[name]
    if len(call.args) > len(parameters):
        raise InvalidInput(f"the router {name} takes {', '.join(parameters)}")
    given = [*zip(parameters, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    arguments: dict[str, Any] = {}
    for parameter, node in given:
        if parameter not in parameters:
            raise UnknownName("parameter", str(parameter), parameters)
        arguments[parameter] = _literal(node)
    return name, arguments


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in {START, END}:
        return node.id
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise InvalidInput(
            f"`{ast.unparse(node)[:100]}` must be a text, a list of texts, START, END, True or False"
        ) from None
