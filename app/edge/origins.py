"""Refuses cross-site requests: a foreign page would act with its reader's network and cookies."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.types import Scope

from app.features import FEATURES
from app.problems import Refused

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FOREIGN_SITES = (b"cross-site", b"same-site")
"""Values of Sec-Fetch-Site. Another host of the same site counts as foreign, too."""
FROM_ELSEWHERE = frozenset(path for feature in FEATURES for path in feature.forms_from_elsewhere)
USUAL_PORTS = {"http": 80, "https": 443}


def check_origin(scope: Scope) -> None:
    """Raises `Refused` with 403 for a request that may change something and comes from another origin.

    Programs send neither Origin nor Sec-Fetch-Site; browsers send at least one.
    """
    if scope["method"] in SAFE_METHODS or scope["path"] in FROM_ELSEWHERE:
        return
    if _is_foreign(scope):
        detail = "The request comes from a page of another origin. Send it from this service's own page."
        raise Refused(403, "foreign-origin", detail, scope["path"])


def _is_foreign(scope: Scope) -> bool:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
    return any(
        (name == b"origin" and not _is_own(value.decode("latin-1"), host))
        or (name == b"sec-fetch-site" and value.strip().lower() in FOREIGN_SITES)
        for name, value in scope["headers"]
    )


def _is_own(origin: str, host: str) -> bool:
    """True if the origin has the host's name and port. The scheme may differ: a proxy may terminate TLS."""
    try:
        theirs, ours = urlsplit(origin), urlsplit(f"//{host}")
        usual = USUAL_PORTS[theirs.scheme]
        return bool(theirs.hostname) and (theirs.hostname, theirs.port or usual) == (ours.hostname, ours.port or usual)
    except (KeyError, ValueError):
        return False
