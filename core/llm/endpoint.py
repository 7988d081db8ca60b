"""Validates the settings of an endpoint before anything is sent to it."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.errors import SetupError


def checked_url(url: str) -> str:
    """The base URL. Raises `SetupError` if no request could be sent to it."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        valid = False
    if not valid:
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
