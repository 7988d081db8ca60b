"""Refuses requests for other hosts: a foreign page may let its name resolve to this machine (DNS rebinding)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from starlette.types import Scope

from app.problems import Refused

LOCAL = ("localhost", "127.0.0.1", "::1")
MAX_REMEMBERED = 256

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?")


class Hosts:
    """The hosts that requests may name: local ones, the address of the connection, and the given ones."""

    def __init__(self, allowed: Sequence[str]) -> None:
        names = [name.lower() for name in allowed]
        self._names = frozenset((*LOCAL, *(name for name in names if not name.startswith("*."))))
        self._endings = tuple(name.removeprefix("*") for name in names if name.startswith("*."))
        self.permit = lru_cache(MAX_REMEMBERED)(self._permit)

    def check(self, scope: Scope) -> None:
        """Raises `Refused` with 421 unless a request names exactly one host, and an allowed one."""
        named = [value for name, value in scope["headers"] if name == b"host"]
        server = scope.get("server")
        if len(named) != 1 or not self.permit(named[0], server[0] if server else None):
            detail = (
                "The request's Host header does not name exactly one host of this service. "
                "If this host is intended, add it to EDUMOD_ALLOWED_HOSTS, without the port."
            )
            raise Refused(421, "foreign-host", detail, scope["path"])

    def _permit(self, host: bytes, server: str | None) -> bool:
        """`host` is the header's value, `server` the local address of the connection."""
        match = _HOST.fullmatch(host.decode("latin-1"))
        if match is None or int(match["port"] or 0) > 65535:
            return False
        name = (match["address"] or match["name"]).lower()
        return name in self._names or name.endswith(self._endings) or _is_address(name, server)


def _is_address(name: str, server: str | None) -> bool:
    """True if both are the same IP address; host names do not count, since others can choose them."""
    try:
        return server is not None and ip_address(name) == _without_zone(server)
    except ValueError:
        return False


def _without_zone(server: str) -> object:
    address = ip_address(server.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
