"""Sends a message by HTTP: signed, to the address that was checked, following no redirect."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from app.webhooks.targets import Target, Unreachable

SECONDS = 10.0
"""For a whole try: connecting, sending, and the head of the response."""
SIGNATURE, DELIVERY, EVENT = "EduMod-Signature", "EduMod-Delivery", "EduMod-Event"


@dataclass(frozen=True)
class OutboxMessage:
    """A message as it is sent. Its id is the same in every try."""

    id: str
    event: str
    body: bytes


class Pinned(AbstractResolver):
    """Resolves every name to the address that was checked."""

    def __init__(self, target: Target) -> None:
        self._target = target

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        address = self._target.address
        return [ResolveResult(hostname=host, host=address, port=port, family=int(family), proto=0, flags=0)]

    async def close(self) -> None:
        """There is nothing to close."""


def signature(secret: str, body: bytes, at: int) -> str:
    """`t=SECONDS,v1=HEX`: HMAC-SHA256 of the time, a dot and the body. The receiver compares it and the time."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


async def send(url: str, target: Target, message: OutboxMessage, secret: str | None) -> int:
    """The status of the response. Raises `Unreachable` and `OSError`."""
    headers = {"Content-Type": "application/json", DELIVERY: message.id, EVENT: message.event, "User-Agent": "EduMod"}
    if secret is not None:
        headers[SIGNATURE] = signature(secret, message.body, int(time.time()))
    connector = aiohttp.TCPConnector(resolver=Pinned(target), use_dns_cache=False, force_close=True)
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    session = aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=False, auto_decompress=False)
    try:
        async with session, session.post(url, data=message.body, headers=headers, allow_redirects=False) as response:
            return response.status
    except aiohttp.ClientError as error:
        raise Unreachable(f"It cannot be reached: {type(error).__name__}.") from error
