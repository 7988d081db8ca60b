"""Registering a platform, and what its administrator needs of this service."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from app.people.local import is_loopback
from core.errors import InvalidInput
from core.store.people.keys import digest
from core.store.tables import LtiPlatformRow

LOGIN, LAUNCH, DEEP_LINK, KEYS = "/lti/login", "/lti/launch", "/lti/choose", "/lti/keys"
MAX_CHARS = 1000
AGAIN = "Open the course's link in the learning platform again."


@dataclass(frozen=True)
class Login:
    """What a login began with; the browser keeps it, signed."""

    state: str
    nonce: str
    platform: str

    @property
    def cookie(self) -> str:
        """Each login has its own: a page may hold several frames."""
        return f"edumod_lti_{self.state[:12]}"


def new_platform(issuer: str, client_id: str, auth_url: str, token_url: str, jwks_url: str) -> LtiPlatformRow:
    """A platform to be registered. Raises `InvalidInput` for an address that is none, or without TLS."""
    for name, url in (("auth", auth_url), ("token", token_url), ("keys", jwks_url)):
        if not is_safe_url(url):
            raise InvalidInput(f"The {name} address must begin with https:// and be of one line: {url!r}.")
    if not issuer.strip() or not client_id.strip():
        raise InvalidInput("Name the platform's issuer and the client id that it gave this service.")
    return LtiPlatformRow(
        id=digest(f"{issuer} {client_id}")[:12],
        issuer=issuer,
        client_id=client_id,
        auth_url=auth_url,
        token_url=token_url,
        jwks_url=jwks_url,
    )


def is_safe_url(url: str) -> bool:
    """Whether tokens may be sent there: by TLS, or on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    is_local = host == "localhost" or is_loopback(host)
    is_plain = url.isprintable() and " " not in url and len(url) <= MAX_CHARS
    return is_plain and bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_local))


def tool_addresses(base: str) -> dict[str, str]:
    """What the administrator of a platform enters there."""
    base = base.rstrip("/")
    return {
        "login": base + LOGIN,
        "launch": base + LAUNCH,
        "choose": base + DEEP_LINK,
        "keys": base + KEYS,
    }
