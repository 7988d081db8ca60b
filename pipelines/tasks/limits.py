"""Limits of what a model may put into a structured reply."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

MAX_ITEMS = 100
"""Maximum statements of an answer, sources of a statement, or missing things in a review."""

Share = Annotated[float, AfterValidator(lambda share: round(min(max(share, 0.0), 1.0), 3))]
"""From 0 to 1, rounded to three decimals, so that further ones cannot carry hidden text."""
