"""Builds chat models from the models file and the settings."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import SecretStr

from app.models.measured import NOTHING, ModelMeasurements, measured_key, read_measured
from app.models.tapes import Tapes
from app.operation.variables import environment
from core.llm.base import LLM
from core.llm.breaker import Breaker
from core.llm.cached import Cached
from core.llm.catalogue import Capability, Catalogue, ModelEntry, read_catalogue
from core.llm.endpoint import SETTINGS, SetBy
from core.llm.formats import ReplyFormat
from core.llm.models import KeylessLLM, Models, NamedModel
from core.llm.offline import OFFLINE_MODEL
from core.llm.openai import OpenAILLM
from core.llm.profile import CALLS_PER_ANSWER, PROMPT_TOKENS, REPLY_TOKENS
from core.llm.recording.tape import Player
from core.settings import Settings

DEFAULT_MODEL = "default"
"""Name of the model of the single-endpoint settings, beside its own."""

BASE_URL = "EDUMOD_LLM_BASE_URL"
NOWHERE = "http://recording.invalid/v1"
"""The endpoint of a model that is replayed, which is never asked."""

log = logging.getLogger("edumod")


def read_models_file(settings: Settings) -> Catalogue:
    """The models file, empty where none is set. Raises `InvalidInput` naming file, line and what to correct."""
    return read_catalogue(settings.models_file, _names(settings)) if settings.models_file else Catalogue()


@dataclass(frozen=True)
class ModelBuilder:
    """Builds `Models`: `patient` ones wait for an open breaker, `offline` needs no endpoint.

    Models unchanged since `earlier` keep their connections, limit and breaker.
    """

    settings: Settings
    offline: LLM
    patient: bool = False
    variables: Callable[[], dict[str, str]] = field(default=environment)
    processes: Callable[[], int] = lambda: 1
    """How many processes share what an endpoint allows in all."""

    @cached_property
    def tapes(self) -> Tapes:
        return Tapes(self.settings)

    def build(self, earlier: Models | None = None) -> Models:
        """Reads the models file. Raises `InvalidInput` where it is wrong, `SetupError` where a setting is."""
        catalogue = read_models_file(self.settings)
        if (player := self.tapes.player) is not None:
            return self._replayed(player, catalogue)
        variables = self.variables()
        if (url := variables.get(BASE_URL)) is not None and not url.strip():
            log.warning("%s is empty, which counts as not set. Give it the URL of an endpoint, or remove it.", BASE_URL)
        known = {one.name: one for one in earlier or ()}
        own = [known[name] for name in _names(self.settings) if name in known] or self._of_settings()
        listed = [self._model_of(alias, entry, variables, known.get(alias)) for alias, entry in catalogue.chats.items()]
        offline = known.get(OFFLINE_MODEL) or NamedModel(OFFLINE_MODEL, self.offline, OFFLINE_MODEL)
        return Models([*own, *listed, offline], _default(self.settings, catalogue), self.settings.llm_prices)

    def _replayed(self, player: Player, catalogue: Catalogue) -> Models:
        """The models of a recording, in the place of all others. The default is the usual one if it was recorded."""
        names = player.recording.models
        usual = (catalogue.default, self.settings.llm_model, names[0])
        default = next(name for name in usual if name in names)
        models = [self._played(name, player, catalogue) for name in names]
        offline = NamedModel(OFFLINE_MODEL, self.offline, OFFLINE_MODEL)
        return Models([*models, offline], default, self.settings.llm_prices)

    def _played(self, name: str, player: Player, catalogue: Catalogue) -> NamedModel:
        llm = OpenAILLM(base_url=NOWHERE, api_key="", model=name, tape=player)
        price = catalogue.chats[name].prices if name in catalogue.chats else self.settings.llm_prices.get(name)
        return NamedModel(name, llm, name, None, price, self.settings.llm_vision, player=player)

    def _model_of(
        self, alias: str, entry: ModelEntry, variables: Mapping[str, str], earlier: NamedModel | None
    ) -> NamedModel:
        key = SecretStr(variables.get(entry.api_key_env, "") if entry.api_key_env else "")
        if earlier is not None and (earlier.entry, earlier.key) == (entry, key):
            return earlier
        breaker = Breaker(patient=self.patient)
        llm: LLM
        if entry.api_key_env and not key.get_secret_value().strip():
            llm = KeylessLLM(alias, entry.api_key_env)
        else:
            llm = self._chain(alias, self._endpoint(alias, entry, key), breaker)
        price = entry.prices or self.settings.llm_prices.get(entry.model)
        seconds = _seconds(entry, self._measured(alias, entry.base_url, entry.model))
        return NamedModel(
            alias,
            llm,
            entry.model,
            entry,
            price,
            Capability.VISION in entry.capabilities,
            breaker,
            key,
            answer_seconds=CALLS_PER_ANSWER * seconds if seconds else None,
        )

    def _measured(self, alias: str, base_url: str, model: str) -> ModelMeasurements:
        return read_measured(self.settings.home).get(measured_key(alias, base_url, model), NOTHING)

    def _of_settings(self) -> list[NamedModel]:
        settings = self.settings
        if settings.llm_base_url is None:
            return []
        breaker = Breaker(patient=self.patient)
        endpoint = Endpoint(
            base_url=settings.llm_base_url,
            key=settings.llm_api_key,
            model=settings.llm_model,
            deadline_seconds=settings.llm_deadline_seconds,
            concurrency=settings.llm_concurrency,
            total_concurrency=settings.llm_total_concurrency,
            formats=self._measured(DEFAULT_MODEL, settings.llm_base_url, settings.llm_model).beginning(
                tuple(ReplyFormat)
            ),
        )
        llm = self._chain(None, endpoint, breaker)
        served = {name: settings.llm_model if name == DEFAULT_MODEL else name for name in _names(settings)}
        return [
            NamedModel(name, llm, model, None, settings.llm_prices.get(model), settings.llm_vision, breaker)
            for name, model in served.items()
        ]

    def _endpoint(self, alias: str, entry: ModelEntry, key: SecretStr) -> Endpoint:
        own = entry.parameters
        fixed = {"top_p": own.top_p, "max_tokens": entry.reply_tokens}
        measured = self._measured(alias, entry.base_url, entry.model)
        return Endpoint(
            base_url=entry.base_url,
            key=key,
            model=entry.model,
            deadline_seconds=entry.deadline_seconds or _seconds(entry, measured) or self.settings.llm_deadline_seconds,
            concurrency=entry.concurrency or self.settings.llm_concurrency,
            total_concurrency=entry.total_concurrency or self.settings.llm_total_concurrency,
            parameters={name: value for name, value in fixed.items() if value is not None} | own.extra,
            formats=measured.beginning(_formats(entry.capabilities)),
            set_by=SetBy.alias(alias, entry.api_key_env),
        )

    def _chain(self, alias: str | None, endpoint: Endpoint, breaker: Breaker) -> LLM:
        """The client of one endpoint, with its own limit and breaker, and a cache unless it is recorded."""
        settings = self.settings
        recorder = self.tapes.recorder(alias)
        llm = OpenAILLM(
            base_url=endpoint.base_url,
            api_key=endpoint.key.get_secret_value(),
            model=endpoint.model,
            deadline_seconds=endpoint.deadline_seconds,
            max_retries=settings.llm_max_retries,
            concurrency=endpoint.concurrency,
            share=self._share(endpoint.total_concurrency),
            max_reply_bytes=settings.llm_max_reply_bytes,
            breaker=breaker,
            parameters=endpoint.parameters,
            formats=endpoint.formats,
            set_by=endpoint.set_by,
            tape=recorder,
        )
        if recorder or not settings.llm_cache:
            return llm
        where = json.dumps([alias or DEFAULT_MODEL, endpoint.base_url.rstrip("/"), endpoint.parameters], sort_keys=True)
        return Cached(llm, settings.home / "cache" / "llm", endpoint=where)

    def _share(self, total: int | None) -> Callable[[], int] | None:
        """This process's part of the calls that all processes may have under way together (decision 0084)."""
        if total is None:
            return None
        return lambda: max(1, total // max(1, self.processes()))


def log_missing_keys(models: Models) -> None:
    """A warning for each model that cannot be asked, since its key is not set."""
    for model in models:
        if isinstance(model.llm, KeylessLLM):
            log.warning("%s", model.llm.problem)


@dataclass(frozen=True)
class Endpoint:
    """What a client needs to know of one endpoint, wherever that was set."""

    base_url: str
    key: SecretStr
    model: str
    deadline_seconds: float
    concurrency: int
    total_concurrency: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    formats: tuple[ReplyFormat, ...] = tuple(ReplyFormat)
    set_by: SetBy = SETTINGS


def _seconds(entry: ModelEntry, measured: ModelMeasurements) -> float | None:
    """Time for one call of a small model, by its measured speed; None for others."""
    if not entry.is_small or measured.speed is None:
        return None
    return measured.speed.call_seconds(entry.longest_prompt or PROMPT_TOKENS, entry.reply_tokens or REPLY_TOKENS)


def _formats(capabilities: Collection[Capability]) -> tuple[ReplyFormat, ...]:
    needed = {ReplyFormat.JSON_SCHEMA: Capability.JSON_SCHEMA, ReplyFormat.FUNCTION: Capability.TOOLS}
    return tuple(one for one in ReplyFormat if one not in needed or needed[one] in capabilities)


def _names(settings: Settings) -> tuple[str, ...]:
    if settings.llm_base_url is None:
        return ()
    return tuple(dict.fromkeys((settings.llm_model, *settings.llm_models, DEFAULT_MODEL)))


def _default(settings: Settings, catalogue: Catalogue) -> str:
    if catalogue.default is not None:
        return catalogue.default
    if settings.llm_base_url is not None:
        return settings.llm_model
    return DEFAULT_MODEL if DEFAULT_MODEL in catalogue.chats else next(iter(catalogue.chats), OFFLINE_MODEL)
