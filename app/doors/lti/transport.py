"""Requests to platforms: keys, tokens and rosters. No redirects, no retries, within limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.doors.lti.registration import is_safe_url
from core.errors import EduModError

SECONDS = 10.0
MAX_BYTES = 8 * 2**20


class PlatformFailed(EduModError):
    """The learning platform could not be asked, or gave no reply that can be used."""

    status = 502


@dataclass(frozen=True)
class PlatformReply:
    content: Any
    links: Mapping[str, str] = field(default_factory=dict)
    """Addresses of the header `Link`, by relation."""


async def request_json(
    url: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
) -> PlatformReply:
    """The JSON of a reply to GET, or to POST where a form is sent. Raises `PlatformFailed`."""
    import aiohttp  # Few installations have platforms, and it is large.

    if not is_safe_url(url):
        raise PlatformFailed("The platform named an address without TLS.")
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    method = "GET" if form is None else "POST"
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.request(method, url, data=form, headers=headers, allow_redirects=False) as response,
        ):
            body = bytearray()
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > MAX_BYTES:
                    raise PlatformFailed("The platform's reply is too long.")
            if response.status != 200:
                raise PlatformFailed(f"The platform answered with HTTP {response.status}.")
            links = {name: str(link["url"]) for name, link in response.links.items()}
            return PlatformReply(json.loads(body), links)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise PlatformFailed(f"The platform cannot be reached: {type(error).__name__}.") from error
    except ValueError as error:
        raise PlatformFailed("The platform's reply is no JSON.") from error
