"""Limits of one run, which answers a question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.llm.profile import ModelLimits
from core.llm.stated import StatedConfidence

MAX_REPAIRS = 2
"""How often a model may correct a choice of which no call can be run."""
MAX_PASSAGES = 12
"""Maximum passages given to the model that writes or judges."""
MIN_PROMPT_CHARS = 1_000
"""What a prompt is about is not shortened below this length."""


@dataclass(frozen=True)
class AnswerLimits:
    """Limits of one run. The last `writing_share` of its time is reserved for writing; `prompt_chars` is per
    prompt, for what it is about; `prompt_tokens` is for a whole prompt, instructions included. `passages` are the
    most that are shown. `confidence` is what is known of the confidence that the model states.
    """

    deadline_seconds: float = 120.0
    writing_share: float = 0.35
    calls_per_turn: int = 8
    calls_per_run: int = 24
    prompt_chars: int = 40_000
    prompt_tokens: int | None = None
    passages: int = MAX_PASSAGES
    confidence: StatedConfidence | None = None

    def of_model(self, limits: ModelLimits) -> AnswerLimits:
        """With the limits that the model has of its own; a slow one gets more time."""
        return replace(
            self,
            prompt_tokens=limits.prompt_tokens or self.prompt_tokens,
            passages=min(self.passages, limits.passages or self.passages),
            deadline_seconds=max(self.deadline_seconds, limits.answer_seconds or 0.0),
            confidence=limits.confidence,
        )
