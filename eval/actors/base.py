"""Who can be measured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Self

from core.llm.base import LLM
from eval.datasets.dataset import I


class Actor(ABC, Generic[I]):
    """Anything that puts something out for an item: a configuration of the product, or a file of outputs.

    `timed` says whether the time until its output means anything.
    """

    timed: ClassVar[bool] = True
    name: str
    """How reports call it."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """What tells it from others of that name: the hash of a configuration, the digest of a file."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What people should know of it before they read its figures."""
        return ()

    @abstractmethod
    async def act(self, item: I, seed: int, llm: LLM) -> Any:
        """Its output, which fits into JSON; asks no other model than `llm`. What it raises is stored as a failure."""


class ActorKind(Actor[I]):
    """Actors that the command line names: `--actor KIND:SPEC`.

    `evaluation` is the kind of evaluation that they put something out for; `spec` is what to write for SPEC.
    """

    kind: ClassVar[str]
    evaluation: ClassVar[str]
    spec: ClassVar[str]

    @classmethod
    @abstractmethod
    def made(cls, spec: str, setup: Any) -> Self:
        """The actor. `setup` is what evaluations of its kind run on. Raises `InvalidInput` naming what is wrong."""
