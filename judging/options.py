"""How a judge asks models."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InvalidInput
from core.llm.models import Models, NamedModel

MAX_SAMPLES = 25


@dataclass(frozen=True)
class JudgeOptions:
    """`model` is an alias, None for the default; several `samples` give their median.

    A hidden reference is not shown to the model: it then judges by its own knowledge. With `expected`, a score is not
    read from a reply but the mean of all verdicts, weighted by the probabilities of the reply's first token. The models
    of a `panel` judge one by one, and the mean of their scores counts.
    """

    model: str | None = None
    samples: int = 1
    reference: bool = True
    expected: bool = False
    panel: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise InvalidInput(f"--samples {self.samples}: write a number from 1 to {MAX_SAMPLES}.")
        if self.expected and self.samples > 1:
            raise InvalidInput("--expected weighs all verdicts in one request. Leave out --samples.")
        if self.panel and (self.model or len(set(self.panel)) != len(self.panel) or len(self.panel) < 2):
            raise InvalidInput("--panel: write two or more different aliases, comma-separated, and leave out --model.")

    @property
    def spelling(self) -> str:
        """For the identity of an evaluation."""
        spelt = f"model={self.model} samples={self.samples} reference={'shown' if self.reference else 'hidden'}"
        return spelt + " expected" * self.expected + f" panel={','.join(self.panel)}" * bool(self.panel)

    def asked(self, models: Models) -> tuple[NamedModel, ...]:
        """The models that will be asked. Raises `UnknownName`."""
        return tuple(models[alias] for alias in self.panel or (self.model or models.model,))
