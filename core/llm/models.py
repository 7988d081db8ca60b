"""Several models: each under the name that a request, a course or an experiment chooses it by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NoReturn

from pydantic import SecretStr

from core.errors import MissingCapability, SetupError, UnknownName
from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.breaker import Breaker
from core.llm.catalogue import Capability, ModelEntry
from core.llm.profile import ModelLimits
from core.llm.recording.tape import Player
from core.llm.task import LabelTask, Out, Task, ToolTask, YesNoTask
from core.settings import ModelPrice

SHAPING = {"base_url", "model", "parameters", "capabilities", "profile", "context", "prompt_tokens"}
"""Parts of an entry that shape replies."""


@dataclass(frozen=True)
class NamedModel:
    """One model under its name, with what is known of it. An `LLM` like the one inside, which it prepares calls for.

    `served` is its name at the endpoint. `entry` is its part of the models file; without one, the model comes from
    settings or stands for itself. `key` is what was found in the variable that the entry names. `player` gives the
    replies of a model that is replayed. `answer_seconds` is the time that an answer by it takes at most, if measured.
    """

    name: str
    llm: LLM
    served: str
    entry: ModelEntry | None = None
    price: ModelPrice | None = None
    vision: bool = False
    breaker: Breaker | None = None
    key: SecretStr | None = field(default=None, repr=False)
    player: Player | None = field(default=None, repr=False)
    answer_seconds: float | None = None

    @property
    def model(self) -> str:
        return self.name

    @property
    def limits(self) -> ModelLimits:
        """Of what it is asked at once."""
        own = self.entry.limits if self.entry else ModelLimits()
        return replace(own, answer_seconds=self.answer_seconds)

    @property
    def fingerprint(self) -> str:
        """Changes with whatever shapes the replies of an alias or a recording; empty for other models, whose name says
        what they are.

        Prices, limits and keys shape none.
        """
        if self.player is not None:
            return self.player.recording.facts.digest
        if self.entry is None:
            return ""
        shaping = self.entry.model_dump_json(include=SHAPING)
        if self.entry.confidence is not None:
            shaping += self.entry.confidence.model_dump_json()
        return hashlib.sha256(shaping.encode()).hexdigest()[:16]

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        """Do the task. Raises `MissingCapability`, before anything is sent, for what the entry does not list."""
        if isinstance(task, ToolTask) and task.functions:
            self._demand(Capability.TOOLS)
        if isinstance(task, LabelTask):
            self._demand(Capability.LOGPROBS)
        return self._named(await self.llm.run(task, self._completed(sampling)))

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        """P("yes"). Raises `MissingCapability`, before anything is sent, where the entry lists no logprobs."""
        self._demand(Capability.LOGPROBS)
        return self._named(await self.llm.probability(task, self._completed(sampling)))

    async def aclose(self) -> None:
        await self.llm.aclose()

    def _completed(self, sampling: Sampling) -> Sampling:
        """The sampling with the endpoint's name of the model, and the entry's parameters for what was left open."""
        own: dict[str, object] = {"model": self.served}
        if self.entry is not None:
            parameters = self.entry.parameters
            own |= {
                name: getattr(parameters, name) for name in ("temperature", "seed") if getattr(sampling, name) is None
            }
        return sampling.model_copy(update=own)

    def _named(self, reply: Reply[Out]) -> Reply[Out]:
        # What a server calls itself must not choose the price of a model that has a name of its own.
        return reply if self.entry is None else replace(reply, model=self.name)

    def _demand(self, capability: Capability) -> None:
        if self.entry is not None and capability not in self.entry.capabilities:
            raise MissingCapability(
                capability.value,
                f"The model {self.name!r} was not asked: its `capabilities` in the models file do not list "
                f"{capability.value}. Add it there if the model has it, or choose another model.",
            )


class Models:
    """All models of an installation. An `LLM` itself, whose calls go to the model that their sampling names.

    `models["alias"]` is one of them alone. A value: when the models file changes, another one takes its place, and
    work under way finishes with the one it began with.
    """

    def __init__(
        self, models: Iterable[NamedModel], default: str, prices: Mapping[str, ModelPrice] = MappingProxyType({})
    ) -> None:
        self._models = {one.name: one for one in models}
        self._default = default
        own = {name: one.price for name, one in self._models.items() if one.price is not None}
        self.prices: Mapping[str, ModelPrice] = {**prices, **own}
        """By the name that is asked for, or else the one that a server answers under."""

    @classmethod
    def of(
        cls, *llms: LLM, names: Iterable[str] = (), prices: Mapping[str, ModelPrice] = MappingProxyType({})
    ) -> Models:
        """These models under the names that they have; the first is the default, and has the further `names` too."""
        first = [NamedModel(name, llms[0], name) for name in (llms[0].model, *names)]
        return cls([*first, *(NamedModel(llm.model, llm, llm.model) for llm in llms[1:])], llms[0].model, prices)

    @property
    def model(self) -> str:
        return self._default

    @property
    def default(self) -> NamedModel:
        """The one that is asked where a call names none."""
        return self[self._default]

    @property
    def names(self) -> tuple[str, ...]:
        """What a request may choose; the default comes first."""
        return tuple(dict.fromkeys((self._default, *self._models)))

    def __getitem__(self, name: str) -> NamedModel:
        """The model of that name. Raises `UnknownName`."""
        if (found := self._models.get(name)) is None:
            raise UnknownName("model", name, self.names)
        return found

    def find(self, name: str) -> NamedModel | None:
        """The model of that name; None where there is none."""
        return self._models.get(name)

    def demand(self, name: str) -> None:
        """Raises `UnknownName` unless there is a model of that name."""
        self[name]

    def __iter__(self) -> Iterator[NamedModel]:
        return iter(self._models.values())

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        return await self._chosen(sampling).run(task, sampling)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        return await self._chosen(sampling).probability(task, sampling)

    async def aclose(self) -> None:
        for llm in {id(one.llm): one.llm for one in self}.values():
            await llm.aclose()

    def _chosen(self, sampling: Sampling) -> NamedModel:
        return self[sampling.model or self._default]


class KeylessLLM:
    """Stands in for a model whose key is not set, so that the other models can be used. Every call says what lacks."""

    def __init__(self, name: str, variable: str) -> None:
        self._name = name
        self._variable = variable

    @property
    def model(self) -> str:
        return self._name

    @property
    def problem(self) -> str:
        return (
            f"The model {self._name!r} cannot be asked: the environment variable {self._variable}, which is to hold "
            "its key, is not set. Set it and start again; for one in .env, SIGHUP is enough."
        )

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        self._refuse()

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        self._refuse()

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _refuse(self) -> NoReturn:
        raise SetupError(self.problem)
