"""Whether a process can answer questions, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from core.errors import ModelUnavailable
from core.llm.models import KeylessLLM, Models, NamedModel
from core.types import Value

OK = "ok"
NO_KEY = "Its key is not set."


class ModelState(Value):
    """Whether a model is asked now, in words for anybody: no endpoint, no host."""

    name: str
    state: str
    is_default: bool


@dataclass(frozen=True)
class Readiness:
    """The state of each part; models other than the default do not count."""

    parts: Mapping[str, str]
    models: tuple[ModelState, ...]

    @property
    def ready(self) -> bool:
        needed = (*self.parts.values(), *(one.state for one in self.models if one.is_default))
        return all(state == OK for state in needed)

    @property
    def checks(self) -> dict[str, str]:
        """The default model is called `model`, each other one `model NAME`."""
        return {**self.parts, **{"model" if one.is_default else f"model {one.name}": one.state for one in self.models}}


def model_states(models: Models) -> tuple[ModelState, ...]:
    """The default model, and each other one of the models file."""
    shown = [one for one in models if one.name == models.model or one.entry is not None]
    return tuple(ModelState(name=one.name, state=_state(one), is_default=one.name == models.model) for one in shown)


def _state(model: NamedModel) -> str:
    if isinstance(model.llm, KeylessLLM):
        return NO_KEY
    if model.breaker is None or model.breaker.state != "open":
        return OK
    return f"{ModelUnavailable.sentence} ({ceil(model.breaker.seconds_left)} seconds left)"
