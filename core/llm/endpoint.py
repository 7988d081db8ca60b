"""Validates the settings of an endpoint before anything is sent to it."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.errors import SetupError


def is_endpoint_url(url: str) -> bool:
    """True where requests can be sent to it: http or https, a host, and no credentials in front of the host."""
    try:
        parts = urlsplit(url)
        return bool(
            parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
        )
    except ValueError:
        return False


def checked_url(url: str) -> str:
    """The base URL. Raises `SetupError` where no request could be sent to it."""
    if not is_endpoint_url(url):
        raise SetupError(
            "EDUMOD_LLM_BASE_URL is not a URL of the form https://host/v1. Correct it; "
            "a key goes into EDUMOD_LLM_API_KEY."
        )
    return url


def checked_key(key: str) -> str:
    """The key without surrounding white space. Raises `SetupError` if a header cannot contain it."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SetupError("EDUMOD_LLM_API_KEY contains characters that no key has, such as a space. Copy the key again.")
    # Servers without keys ignore this one; the SDK requires some key.
    return key or "none"
