"""The interface of actors, which evaluations measure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Generic, Self

from core.dataset import I
from core.llm.base import LLM


class Actor(ABC, Generic[I]):
    """Anything that gives an output for an item: a configuration of the product, or a file of outputs.

    `timed` is true if the time until its output is meaningful.
    """

    timed: ClassVar[bool] = True
    name: str
    """How reports call it."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """Distinguishes it from others of that name: the hash of a configuration, or the digest of a file."""

    @property
    def conditions(self) -> Any:
        """What its outputs depend on, for readers of a report."""
        return self.identity

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for readers of its figures."""
        return ()

    @abstractmethod
    async def act(self, item: I, seed: int, llm: LLM) -> Any:
        """Its output, serialisable as JSON; calls only the model `llm`. An error is stored as a failure."""


class ActorKind(Actor[I]):
    """Actors that the command line names: `--actor KIND:SPEC`.

    `evaluation` is the kind of evaluation that they can be used in; `spec` describes SPEC in messages.
    """

    kind: ClassVar[str]
    evaluation: ClassVar[str]
    spec: ClassVar[str]

    @classmethod
    def located(cls, spec: str, folder: Path) -> str:
        """The SPEC that a file in that folder gives: names of files are relative to the folder."""
        return spec

    @classmethod
    @abstractmethod
    def made(cls, spec: str, setup: Any) -> Self:
        """The actor. `setup` is the data of its kind of evaluation. Raises `InvalidInput` naming the problem."""
