"""Restricts routes for operators to clients on this machine, since there are no API keys."""

from __future__ import annotations

from ipaddress import ip_address

from fastapi import Request

from core.errors import Forbidden

FORWARDING = ("forwarded", "x-real-ip")
"""Headers added by proxies, besides X-Forwarded-*: the client of a proxy may be anywhere."""


async def demand_local(http: Request) -> None:
    """Raises `Forbidden` for a client on another machine, or behind a proxy."""
    is_forwarded = any(name in FORWARDING or name.startswith("x-forwarded-") for name in http.headers)
    if is_forwarded or http.client is None or not _is_loopback(http.client.host):
        raise Forbidden("Only clients on the server's own machine may use this, and not through a proxy.")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
