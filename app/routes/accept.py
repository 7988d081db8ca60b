"""The Accept header: media types with quality values (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re

_QUALITY = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")


def asks_for(media_type: str, accept: str, *, rather_than: str) -> bool:
    """True where the type is named itself, not by a wildcard alone, and liked no less than the other one."""
    qualities = _qualities(accept)
    kind = rather_than.partition("/")[0]
    other = next((qualities[name] for name in (rather_than, f"{kind}/*", "*/*") if name in qualities), 0.0)
    own = qualities.get(media_type, 0.0)
    return own > 0 and own >= other


def _qualities(accept: str) -> dict[str, float]:
    """By media type or wildcard; an entry whose quality is no number from 0 to 1 counts as not wanted."""
    found: dict[str, float] = {}
    for entry in accept.lower().split(","):
        name, *parameters = (part.strip() for part in entry.split(";"))
        quality = next((one.removeprefix("q=") for one in parameters if one.startswith("q=")), "1")
        found[name] = float(quality) if _QUALITY.fullmatch(quality) else 0.0
    return found
