"""What the confidence that a model states is worth: its probability, and what follows from it (decision 0078)."""

from __future__ import annotations

from math import exp, log

from pydantic import Field

from core.types import Value

EDGE = 0.02
"""A stated confidence nearer to 0 or 1 counts as this far from it: nobody is that sure."""


class StatedConfidence(Value):
    """Platt's scaling of a stated confidence, and the thresholds of a model, as `edumod eval answers` fits them."""

    intercept: float = Field(default=0.0, allow_inf_nan=False, description="Added to the logit of what it states.")
    slope: float = Field(
        default=1.0, gt=0, allow_inf_nan=False, description="Factor of that logit; below 1 for one that is too sure."
    )
    abstain_below: float = Field(
        default=0.0, ge=0, le=1, description="Probability below which its answer is left to a person."
    )
    post_from: float = Field(
        default=0.0, ge=0, le=1, description="Probability from which `posting: auto` may post its answer."
    )

    def probability(self, stated: float) -> float:
        """How likely an answer is right whose model states this confidence; 0 stays 0."""
        return 1 / (1 + exp(-self.intercept - self.slope * logit(stated))) if stated else 0.0


def logit(share: float) -> float:
    """The logarithm of the odds."""
    bounded = min(max(share, EDGE), 1 - EDGE)
    return log(bounded / (1 - bounded))
