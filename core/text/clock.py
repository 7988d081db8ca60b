"""Times in a recording, for people."""

from __future__ import annotations


def clock(seconds: float) -> str:
    """A time as players show it: "0:07", "12:34", "1:02:03". Fractions of a second are cut off."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
