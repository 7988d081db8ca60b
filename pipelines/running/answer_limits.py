"""Limits of one run, which answers a question."""

from __future__ import annotations

from dataclasses import dataclass

MAX_REPAIRS = 2
"""How often a model may correct a choice of which no call can be run."""
MAX_PASSAGES = 12
"""Maximum passages given to the model that writes or judges."""
MIN_PROMPT_CHARS = 4_000
"""A prompt is not shortened below this length."""


@dataclass(frozen=True)
class AnswerLimits:
    """Limits of one run. The last `writing_share` of its time is reserved for writing; `prompt_chars` is per prompt."""

    deadline_seconds: float = 120.0
    writing_share: float = 0.35
    calls_per_turn: int = 8
    calls_per_run: int = 24
    prompt_chars: int = 40_000
