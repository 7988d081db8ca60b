"""How much of a submission is read. Apart from what reads it, whose libraries the service does not load."""

from __future__ import annotations

MAX_CHARS = 60_000
MAX_LINES = 1_500
