"""Validates the settings of an endpoint before anything is sent to it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import SetupError


@dataclass(frozen=True)
class SetBy:
    """Where an operator sets what a message tells them to check."""

    base_url: str = "EDUMOD_LLM_BASE_URL"
    api_key: str = "EDUMOD_LLM_API_KEY"
    model: str = "EDUMOD_LLM_MODEL"
    deadline: str = "EDUMOD_LLM_DEADLINE_SECONDS"
    concurrency: str = "EDUMOD_LLM_CONCURRENCY"

    @classmethod
    def alias(cls, alias: str, key_variable: str | None) -> SetBy:
        """By the models file, whose keys stand in variables of their own."""

        def part(key: str) -> str:
            return f"`{key}` of {alias} in the models file"

        key = key_variable or part("api_key_env")
        return cls(part("base_url"), key, part("model"), part("deadline_seconds"), part("concurrency"))


SETTINGS = SetBy()


def is_endpoint_url(url: str) -> bool:
    """True where requests can be sent to it: http or https, a host, and no credentials in front of the host."""
    try:
        parts = urlsplit(url)
        return bool(
            parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and "@" not in parts.netloc
        )
    except ValueError:
        return False


def checked_url(url: str, by: SetBy = SETTINGS) -> str:
    """The base URL. Raises `SetupError` where no request could be sent to it."""
    if not is_endpoint_url(url):
        raise SetupError(
            f"{by.base_url} is not a URL of the form https://host/v1. Correct it; a key goes into {by.api_key}."
        )
    return url


def checked_key(key: str, by: SetBy = SETTINGS) -> str:
    """The key without surrounding white space. Raises `SetupError` if a header cannot contain it."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SetupError(f"{by.api_key} contains characters that no key has, such as a space. Copy the key again.")
    # Servers without keys ignore this one; the SDK requires some key.
    return key or "none"
