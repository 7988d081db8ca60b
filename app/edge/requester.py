"""Whom a request counts for where room is shared: known before its body is read."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

from core.access import LOCAL, Access

STATE = "access"
"""Where the guard leaves the `Access` in the state of a request."""
PREFIX_BITS = 64
"""Of an IPv6 address: the rest is for a household or a machine to choose."""
MAX_REMEMBERED = 1024


def requester_of(scope: Scope) -> str:
    """The person or key that the guard found, or else the client's address."""
    access: Access | None = scope.get("state", {}).get(STATE)
    if access is not None and access.person is not None and access.person != LOCAL:
        return access.person.id
    client = scope.get("client")
    return client_of(client[0]) if client else ""


@lru_cache(MAX_REMEMBERED)
def client_of(host: str) -> str:
    """The address of one client: of IPv6 its network, from which it may take any number of addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return host if address.is_loopback else str(ip_network((int(address), PREFIX_BITS), strict=False))
