"""Requests that need no key: from the server's own machine, to a service that is served nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import ip_address

from starlette.types import Scope

from app.edge.hosts import LOCAL

FORWARDING = (
    b"forwarded", b"via", b"x-forwarded", b"x-original-", b"x-real-ip", b"x-client-ip", b"client-ip", b"true-client-ip",
    b"x-cluster-client-ip", b"x-proxyuser-ip", b"x-remote-", b"proxy-client-ip", b"wl-proxy-", b"cdn-loop", b"cf-",
    b"fastly-", b"fly-", b"x-amzn-", b"x-appengine-", b"x-arr-", b"x-azure-", b"x-envoy-",
)  # fmt: skip
"""What the names of headers begin with that proxies and content networks add: their client may be anywhere."""


def is_local(scope: Scope) -> bool:
    """True for a request of a client on this machine that did not come through a proxy."""
    client = scope.get("client")
    return client is not None and is_loopback(client[0]) and not _is_forwarded(scope["headers"])


def serves_only_itself(hosts: Iterable[str]) -> bool:
    """True if a service on these addresses and for these hosts can be reached from its own machine alone."""
    return all(host.lower() in LOCAL or is_loopback(host) for host in hosts)


def is_loopback(host: str) -> bool:
    """True for an address such as 127.0.0.1."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_forwarded(headers: Sequence[tuple[bytes, bytes]]) -> bool:
    return any(name.startswith(FORWARDING) for name, _ in headers)
