"""How a search that asks a language model goes about it."""

from __future__ import annotations

from dataclasses import dataclass

from core.llm.base import DEFAULT_SAMPLING, Sampling


@dataclass(frozen=True, slots=True)
class RetrieverOptions:
    """`beam` entries are followed at once down the tree, for at most `depth` rounds of model calls."""

    beam: int = 3
    depth: int = 8
    sampling: Sampling = DEFAULT_SAMPLING


DEFAULT_OPTIONS = RetrieverOptions()
