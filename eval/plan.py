"""What an evaluation measures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Generic

from core.dataset import Dataset, I
from eval.actors.base import Actor
from eval.metrics.base import Metric


@dataclass(frozen=True)
class Plan(Generic[I]):
    """Every actor on every item under every seed.

    `facts` are further conditions on which outputs depend (`eval.setups.conditions`); `notes` are reported and stored
    with them, and do not keep a stopped run from being continued. `course_id` is the course that the items belong to,
    if any. Metrics do not identify an evaluation, since they are computed from its outputs.
    """

    kind: str
    dataset: Dataset[I]
    actors: tuple[Actor[I], ...]
    metrics: tuple[Metric[I], ...]
    seeds: tuple[int, ...] = (0,)
    facts: Mapping[str, Any] = field(default_factory=dict)
    course_id: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset.name,
            "digest": self.dataset.digest,
            "material": self.dataset.material,
            "actors": [actor.name for actor in self.actors],
            "identities": {actor.name: actor.identity for actor in self.actors},
            "seeds": list(self.seeds),
            "n": len(self.dataset.items),
            **self.facts,
        }

    @property
    def conditions(self) -> dict[str, Any]:
        """Everything besides items and seeds that could change the report."""
        actors = {actor.name: actor.conditions for actor in self.actors}
        return {"version": version("edumod"), **self.facts, **self.notes, "actors": actors}

    @property
    def key(self) -> str:
        """Equal if a stopped run may be continued. Depends on contents and labels of all items."""
        what = json.dumps([self.kind, self.course_id, self.config], sort_keys=True, default=str)
        return hashlib.sha256(what.encode()).hexdigest()[:32]

    @property
    def size(self) -> int:
        """The number of outputs."""
        return len(self.dataset.items) * len(self.actors) * len(self.seeds)

    def cells(self) -> Iterator[tuple[Actor[I], I, int]]:
        """Item by item, so that after an interruption all actors have answered the same questions."""
        return ((actor, item, seed) for item in self.dataset.items for seed in self.seeds for actor in self.actors)
