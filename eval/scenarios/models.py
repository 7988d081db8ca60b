"""The models that a scenario's file describes, each at its own endpoint with its own key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from core.errors import InvalidInput, SetupError
from core.llm.endpoint import SetBy
from core.llm.models import Models, NamedModel
from core.llm.openai import OpenAILLM
from core.llm.recording.tape import Player, Tape
from core.settings import ModelPrice
from eval.scenarios.dialects import rules_of
from eval.scenarios.scenario import ModelSpec, Scenario

DEADLINE_SECONDS = 600.0
"""Of one call, retries included: a reasoning model may think for minutes."""
NO_KEY = "none"
"""Sent where a file gives no key: self-hosted endpoints usually need none."""
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_OF_CLIENT = frozenset({"timeout", "request_timeout", "max_retries", "streaming", "extra_body", "model_kwargs"})
"""Parameters that upstream's client keeps to itself, or unpacks into the request."""


def models_of(
    scenario: Scenario,
    names: Iterable[str],
    variables: Mapping[str, str],
    prices: Mapping[str, ModelPrice],
    tape: Tape | None = None,
) -> Models:
    """The models of those names. `variables` are the environment's; `prices` go by the model's own name. A `tape`
    records or replays all of them.

    Raises `SetupError` naming what a model lacks.
    """
    wanted = tuple(dict.fromkeys(names))
    made = [_named(name, scenario, variables, prices, tape) for name in wanted]
    return Models(made, wanted[0] if wanted else "", prices)


def beside(own: Models, scenario: Scenario, made: Models) -> Models:
    """The models of a file beside the installation's own, which agents of type `edumod` ask.

    Raises `InvalidInput` for a name that both have.
    """
    if both := sorted(set(own.names) & {one.name for one in made}):
        raise InvalidInput(
            f"models.{both[0]} of {scenario.path} has the name of a model of this installation, which agents of type "
            "edumod ask. Rename it in the file."
        )
    return Models([*own, *made], own.model, {**own.prices, **made.prices})


def _named(
    name: str,
    scenario: Scenario,
    variables: Mapping[str, str],
    prices: Mapping[str, ModelPrice],
    tape: Tape | None,
) -> NamedModel:
    spec = scenario.models[name]
    where = f"models.{name} of {scenario.path}"
    readable = ReadableVariables(variables, scenario.variables)
    own_url = readable.expanded(spec.base_url, where)
    url = own_url or variables.get("OPENAI_BASE_URL")
    served = readable.expanded(spec.model, where)
    if not url or not served:
        raise SetupError(f"{where} has no {'model' if url else 'address'}. Set its `{_missing(scenario, url)}`.")
    given = spec.api_key.get_secret_value() if spec.api_key else None
    # The caller's key goes to the caller's endpoint; to an address of the file only if the caller says so.
    usual = variables.get("OPENAI_API_KEY") if not own_url or "OPENAI_API_KEY" in scenario.variables else None
    key = readable.expanded(given, where) or usual or NO_KEY
    llm = OpenAILLM(
        base_url=url,
        api_key=key,
        model=served,
        deadline_seconds=_deadline(spec),
        max_retries=int(spec.parameters.get("max_retries", spec.max_retries)),
        concurrency=scenario.concurrency,
        parameters=request_parameters(spec.parameters),
        set_by=_set_by(where, scenario),
        tape=tape,
    )
    player = tape if isinstance(tape, Player) else None
    return NamedModel(name, llm, served, price=prices.get(served), key=SecretStr(key), player=player)


def request_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that a file's `kargs` become."""
    sent = {name: value for name, value in given.items() if name not in _OF_CLIENT and value is not None}
    if "max_tokens" in sent:
        # As upstream sends it; the older name is refused by newer models.
        sent["max_completion_tokens"] = sent.pop("max_tokens")
    sent |= {**(given.get("model_kwargs") or {}), **(given.get("extra_body") or {})}
    if sent.get("stream"):
        # A turn is read whole; a reply in pieces would be waited for until the deadline.
        sent["stream"] = False
    return sent


def _deadline(spec: ModelSpec) -> float:
    given = spec.parameters.get("timeout", spec.parameters.get("request_timeout"))
    return float(given) if isinstance(given, int | float) else DEADLINE_SECONDS


@dataclass(frozen=True)
class ReadableVariables:
    """Variables of the environment, of which a file reads those that the caller named: it sends them to its hosts."""

    environment: Mapping[str, str] = field(repr=False)
    named: Set[str]

    def expanded(self, text: str | None, where: str) -> str | None:
        """With each `${VARIABLE}` replaced by its value.

        Raises `SetupError` for one that the caller did not name, or that is not set.
        """
        return _VARIABLE.sub(lambda match: self._value(match[1], where), text) if text else None

    def _value(self, name: str, where: str) -> str:
        if name not in self.named:
            raise SetupError(
                f"{where} asks for the variable {name}, which would be sent to a host that the file names. "
                f"If you trust it with that, allow it: --env {name}"
            )
        if name not in self.environment:
            raise SetupError(f"{where} names the variable {name}, which is not set. Set it in the environment.")
        return self.environment[name]


def _missing(scenario: Scenario, url: str | None) -> str:
    return "model" if url else rules_of(scenario).url_key


def _set_by(where: str, scenario: Scenario) -> SetBy:
    return SetBy(
        base_url=f"`{rules_of(scenario).url_key}` in {where}",
        api_key=f"`api_key` in {where}",
        model=f"`model` in {where}",
        deadline=f"`kargs.timeout` in {where}",
        concurrency=f"`globals.concurrency` in {scenario.path}",
    )
