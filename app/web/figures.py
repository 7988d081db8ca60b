"""Figures, times and names as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.store.tables import now

LARGE = 10
MEDIUM = 0.5
"""Confidence from which on it is medium, up to the course's threshold."""


def percent(share: float) -> int:
    """From 0 to 100."""
    return round(100 * min(max(share, 0.0), 1.0))


def level(confidence: float, threshold: float = 0.8) -> str:
    """Class and word of a confidence: `low`, `mid` (medium) or `high`."""
    if confidence >= threshold:
        return "high"
    return "mid" if confidence >= min(MEDIUM, threshold) else "low"


def in_words(name: str) -> str:
    """A name of the program as people write it: `factual_detail` is "factual detail"."""
    return name.replace("_", " ")


def moment(time: datetime) -> str:
    """A time for people, in UTC."""
    return f"{time:%Y-%m-%d %H:%M} UTC"


def age(time: datetime) -> str:
    """How long ago that was: `26 h 05 min`."""
    return span(now() - time)


def span(length: timedelta) -> str:
    """A length of time: `3 d 4 h`, `26 h 05 min`, `12 min`."""
    minutes = max(0, int(length.total_seconds() // 60))
    hours, rest = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {rest:02} min" if hours else f"{rest} min"


def spark(values: Sequence[float | None]) -> str:
    """Points of a line over shares from 0 to 1, in a field of 100 by 20."""
    step = 100 / max(1, len(values) - 1)
    known = ((n * step, 19 - 18 * value) for n, value in enumerate(values) if value is not None)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in known)


def figure(value: float | None) -> str:
    """A figure of a report: three decimals, or one where it is large."""
    if value is None:
        return "–"
    return f"{value:.3f}" if abs(value) < LARGE else f"{value:,.1f}"
