"""What made a course's vectors, as it is stored with the course."""

from __future__ import annotations

import hashlib
from typing import Any

from core.types import Value


class Embedding(Value):
    """An embedding model with all that its vectors depend on. Vectors are compared only where this has the same `id`.

    `source` is how `EDUMOD_EMBEDDING` names it: `minilm`, a folder, or an alias of the models file. `weights` is the
    SHA-256 of a local model's files, or alias and model of an endpoint; empty where `name` says it all. `max_tokens`
    is the longest text that it reads whole, without border tokens and prefix.
    """

    source: str
    name: str
    weights: str = ""
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int

    @property
    def id(self) -> str:
        """Stored with every vector. The name of the built-in model, else a hash: a folder may move."""
        parts = (self.weights, self.query_prefix, self.passage_prefix)
        if not any(parts):
            return self.name
        identity = "\0".join((*parts, str(self.dimension), str(self.max_tokens)))
        return hashlib.sha256(identity.encode()).hexdigest()[:32]

    def differences(self, other: Embedding) -> tuple[str, ...]:
        """In what vectors of the two differ, as `max_tokens 254 → 510`; of other weights only that they are others."""
        mine, theirs = (embedding.model_dump(exclude={"source", "name"}) for embedding in (self, other))
        changed = [name for name in mine if mine[name] != theirs[name]]
        return tuple(name if name == "weights" else f"{name} {mine[name]!r} → {theirs[name]!r}" for name in changed)

    def to_json(self) -> dict[str, Any]:
        """As it is stored; `Embedding.model_validate` reads it."""
        return self.model_dump(mode="json")

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} dimensions)"
