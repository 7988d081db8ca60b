"""The Accept header: media types with quality values (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re

from starlette.requests import HTTPConnection

_QUALITY = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")


def asks_for(media_type: str, accept: str, *, rather_than: str) -> bool:
    """True if the type is named explicitly, not only by a wildcard, with at least the quality of the other one."""
    qualities = _qualities(accept)
    kind = rather_than.partition("/")[0]
    other = next((qualities[name] for name in (rather_than, f"{kind}/*", "*/*") if name in qualities), 0.0)
    own = qualities.get(media_type, 0.0)
    return own > 0 and own >= other


def _qualities(accept: str) -> dict[str, float]:
    """Quality by media type or wildcard; 0 for an entry whose quality is not a number from 0 to 1."""
    found: dict[str, float] = {}
    for entry in accept.lower().split(","):
        name, *parameters = (part.strip() for part in entry.split(";"))
        quality = next((one.removeprefix("q=") for one in parameters if one.startswith("q=")), "1")
        found[name] = float(quality) if _QUALITY.fullmatch(quality) else 0.0
    return found


def accepts(media_type: str, request: HTTPConnection, *, rather_than: str = "application/json") -> bool:
    """True where a request asks for the type, see `asks_for`. A header may come in several lines."""
    return asks_for(media_type, ",".join(request.headers.getlist("accept")), rather_than=rather_than)
